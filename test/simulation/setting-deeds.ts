import type { ThreadId } from '@arbe/sdk'
import type { RosterBot } from '../../packages/core/thread-director/thread-director-port.ts'
import { agent, bot } from '../support/director-trace.ts'
import type { Chance } from './chance.ts'
import { HANDLES, requireThread, type SimulatedHouse } from './house.ts'
import type { Plan } from './plan.ts'
import type { Weighted } from './weighted-deeds.ts'

export interface SettingParts {
  readonly db: SimulatedHouse
  readonly chance: Chance
  readonly plan: Plan
}

/** What is changed about a thread without a word in it; whoever is owed a turn may get it then, so each of them wakes. */
export function settingDeeds({ db: { house }, chance, plan }: SettingParts): {
  /** What may let a bot speak that is owed a turn. */
  readonly settings: Weighted
  readonly changes: Weighted
} {
  const handle = (): string => chance.oneOf(HANDLES.slice(0, plan.bots)) ?? HANDLES[0]

  function change(threadId: ThreadId, over: Partial<RosterBot>): void {
    const thread = requireThread(house, threadId)
    const id = agent(handle())
    thread.bots = thread.bots.map((one) => (one.id === id ? { ...one, ...over } : one))
    house.wake(threadId)
  }

  function mute(threadId: ThreadId): void {
    const until = new Date(house.now() + chance.pick([2_000, 60_000])).toISOString()
    const mutedAt = requireThread(house, threadId).entries.length
    change(threadId, { muted: true, mutedUntil: chance.is(0.5) ? until : null, mutedAt })
  }

  function leaveOrJoin(threadId: ThreadId): void {
    const thread = requireThread(house, threadId)
    const one = handle()
    const rest = thread.bots.filter(({ id }) => id !== agent(one))
    thread.bots = rest.length < thread.bots.length ? rest : [...rest, bot(one, { mode: plan.mode })]
    house.wake(threadId)
  }

  function setLimits(threadId: ThreadId): void {
    const thread = requireThread(house, threadId)
    thread.settings = {
      ...thread.settings,
      banter: chance.is(0.5),
      limitPerBot: chance.pick([1, 2, 4]),
      limitPerThread: chance.pick([1, 2, 8]),
    }
    house.wake(threadId)
  }

  const setMode = (threadId: ThreadId): void => change(threadId, { mode: chance.pick(plan.modes) })
  const unmute = (threadId: ThreadId): void => change(threadId, { muted: false, mutedUntil: null })
  return {
    settings: [
      [6, setLimits],
      [1, setMode],
    ],
    changes: [
      [2, mute],
      [1, unmute],
      [2, setMode],
      [1, leaveOrJoin],
      [4, setLimits],
    ],
  }
}
