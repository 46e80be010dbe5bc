import { type Offset, type ThreadId, toOffset, toThreadId } from '@arbe/sdk'
import { botsAt } from '../../packages/core/thread-director/thread-director-memory-capture.ts'
import {
  createMemoryHouse,
  type MemoryHouse,
  type NewEntry,
} from '../../packages/core/thread-director/thread-director-memory-house.ts'
import type { Capture } from '../../packages/core/thread-director/thread-director-port.ts'
import { bot, person } from '../support/director-trace.ts'
import type { Timeline } from './timeline.ts'
import type { Plan } from './plan.ts'

export const HANDLES = ['ann', 'bo', 'cy'] as const
export const PEOPLE = ['mia', 'ben'] as const

type Roster = Pick<Capture, 'bots' | 'seen' | 'thread'>

/** The database of a simulation, and what somebody who watches it writes down beside. */
export interface SimulatedHouse {
  readonly house: MemoryHouse
  readonly threadIds: readonly ThreadId[]
  /** How far the database's clock is off. */
  clockOffMs: number
  /** Who was in the thread at each decision. */
  readonly rosters: ReadonlyMap<ThreadId, readonly Roster[]>
  /** By key: when it was stored first, in true time. */
  readonly storedAt: ReadonlyMap<string, number>
  rosterOf(id: ThreadId): Roster
}

const EPOCH = Date.UTC(2030, 0, 1)

export function openHouse(
  timeline: Timeline,
  plan: Plan,
  onEvent: (line: string) => void,
): SimulatedHouse {
  const plain = createMemoryHouse(() => EPOCH + timeline.now + self.clockOffMs)
  const rosters = new Map<ThreadId, Roster[]>()
  const storedAt = new Map<string, number>()
  const threadIds = Array.from({ length: plan.threads }, (_, at) => toThreadId(`thr_${at + 1}`))

  const house: MemoryHouse = {
    ...plain,
    append(entry) {
      const { threadId, key } = entry
      if (
        entry.kind === 'signal.thread_director.decision' &&
        plain.find(threadId, key) === undefined
      )
        rosters.get(threadId)?.push({ ...self.rosterOf(threadId), seen: entry.body.seen })
      const seq = plain.append(entry)
      const place = placeOf(threadId, key)
      if (!storedAt.has(place)) {
        storedAt.set(place, timeline.now)
        onEvent(lineOf(entry, seq))
      }
      return seq
    },
  }

  const self: SimulatedHouse = {
    house,
    threadIds,
    clockOffMs: 0,
    rosters,
    storedAt,
    rosterOf(id) {
      const { bots, settings, entries } = requireThread(house, id)
      return { bots: botsAt(bots, house.now()), seen: toOffset(entries.length), thread: settings }
    },
  }

  for (const id of threadIds) {
    rosters.set(id, [])
    house.addThread(id, {
      people: PEOPLE.slice(0, plan.people).map((handle) => ({
        id: person(handle),
        name: handle,
        handle,
      })),
      bots: HANDLES.slice(0, plan.bots).map((handle) => bot(handle, { mode: plan.mode })),
      settings: { title: '', hops: 0, directorModel: null, ...plan.settings },
    })
  }
  return self
}

export function requireThread(house: MemoryHouse, id: ThreadId) {
  const thread = house.threads.get(id)
  if (thread === undefined) throw new Error(`no thread ${id}`)
  return thread
}

export function placeOf(threadId: ThreadId, key: string): string {
  return `${threadId} ${key}`
}

function lineOf({ threadId, kind, authorId, body }: NewEntry, seq: Offset): string {
  return `    ${threadId}#${seq} ${kind} by ${authorId}: ${JSON.stringify(body)}`
}
