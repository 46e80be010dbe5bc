import type { Entry } from '@arbe/sdk'
import type { DirectorStore } from '../../packages/core/thread-director/thread-director-port.ts'
import { createMemoryStore } from '../../packages/core/thread-director/thread-director-memory.ts'
import type { TurnStore } from '../../packages/core/thread-director/turn-store.ts'
import { createActivity } from './activity.ts'
import { createLedger } from './books.ts'
import { createChance } from './chance.ts'
import { createCountedTools } from './counted-tools.ts'
import { createDeeds } from './deeds.ts'
import { findBroken } from './find-broken.ts'
import { HANDLES, openHouse, type SimulatedHouse } from './house.ts'
import { createLiveHints } from './live-hints.ts'
import type { NetworkParts } from './network.ts'
import { type Plan, planOf } from './plan.ts'
import { createTimeline } from './timeline.ts'
import { CLOCK_STEP_MS, createTroubles } from './troubles.ts'
import { watchWaiting } from './waiting.ts'
import { createWatch } from './watch.ts'
import { LEASE_MS, POLL_MS, startWorker, SWEEP_MS, type WorkerParts } from './worker.ts'

export interface SimulateOptions {
  readonly plan?: Partial<Plan>
  /** Plants a fault in the house or in the store that workers use. */
  readonly mutation?: Mutation
  readonly onEvent?: (line: string) => void
}

export interface Mutation {
  readonly plan?: Partial<Plan>
  readonly house?: (db: SimulatedHouse, later: NetworkParts) => void
  readonly store?: (store: DirectorStore, db: SimulatedHouse) => DirectorStore
  readonly turns?: (turns: TurnStore, db: SimulatedHouse) => TurnStore
}

export interface Simulated {
  /** What is broken of the promises; empty when they are kept. */
  readonly found: readonly string[]
  readonly hash: string
  readonly events: number
  readonly turns: number
  /** Messages that people wrote while a turn ran. */
  readonly interruptions: number
}

/** No house takes this long to come to rest when everything works again: ten back-offs, and limits of all kinds. */
const LONGEST_MS = 2 * 60 * 60_000
const MOST_EVENTS = 100_000

/** One house from its first message to its rest; the same seed tells the same story. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Simulated> {
  const { mutation = {}, onEvent = () => undefined } = options
  const plan = planOf(seed, { ...mutation.plan, ...options.plan })
  const chance = createChance(seed)
  const timeline = createTimeline(chance, onEvent)
  const db = openHouse(timeline, plan, onEvent)
  const troubles = createTroubles({ timeline, chance, plan, db })
  const network: NetworkParts = {
    timeline,
    chance,
    faults: () => (troubles.over ? CALM : plan.network),
    onStep: (life, operation) => troubles.onStep(life, operation),
  }
  mutation.house?.(db, network)
  const watch = createWatch(db)
  const activity = createActivity(timeline)
  const ledger = createLedger(() => chance.is(plan.broke))
  const tools = createCountedTools(timeline, chance)
  const hints = createLiveHints(timeline, chance, plan.hints)
  let words = 0
  const newWords = (): string => `words-${(words += 1)}-`

  const parts: WorkerParts = {
    ...network,
    plan,
    db,
    ledger,
    tools,
    activity,
    hints,
    watch,
    script: { handles: HANDLES.slice(0, plan.bots), newWords },
    mutation,
  }
  const pageStore = createMemoryStore(db.house)
  const pageBus = hints.busOf(undefined)
  const deeds = createDeeds({
    db,
    chance,
    plan,
    newWords,
    onSaid: (threadId, seq) => pageBus.appended({ threadId, seq, wakes: true }),
    stop(threadId, authorId, key) {
      void pageStore.stop({ threadId, authorId, key })
      pageBus.publish({ type: 'stop', threadId })
    },
  })
  troubles.begin({
    deed: () => deeds.next(),
    start: (name) => startWorker(name, parts),
    onSilent: (life) => activity.silence(life),
    onResume: (life) => activity.resume(life),
  })

  const waiting = watchWaiting(
    db,
    LEASE_MS + POLL_MS + (plan.sweep ? SWEEP_MS : 0) + plan.databaseClocks * CLOCK_STEP_MS,
  )
  let quietSince = 0
  const restMs = LEASE_MS + (plan.sweep ? SWEEP_MS + POLL_MS : 0)
  function isOver(): boolean {
    // Who has no hand free serves nobody else.
    const isServed = plan.turnsAtOnce >= plan.threads && troubles.someoneServes()
    waiting.look(timeline.now, isServed)
    if (db.house.queue.size > 0 || activity.running > 0 || !troubles.over) quietSince = timeline.now
    return (
      timeline.now - quietSince > restMs ||
      timeline.now > LONGEST_MS ||
      timeline.happened > MOST_EVENTS
    )
  }
  await timeline.runUntil(isOver)
  const isAtRest = timeline.now - quietSince > restMs
  const found = [
    ...(isAtRest ? [] : [`I7: no rest after ${timeline.now} ms and ${timeline.happened} events`]),
    ...findBroken({ db, deeds, tools, activity, waiting, watch, plan }),
  ]
  const entries = db.threadIds.flatMap((id) => db.house.threads.get(id)?.entries ?? [])
  return {
    found,
    hash: hashOf(timeline.hash, JSON.stringify(entries)),
    events: timeline.happened,
    turns: entries.filter(({ kind }) => kind === 'signal.thread_director.outcome').length,
    interruptions: entries.filter(isInterruption).length,
  }
}

function isInterruption({ kind, authorKind }: Entry, at: number, all: readonly Entry[]): boolean {
  if (kind !== 'chat' || authorKind !== 'person') return false
  const before = all.slice(0, at).findLast(({ kind: one }) => one.startsWith('signal.'))
  return before?.kind === 'signal.thread_director.decision' && before.body.speaker !== null
}

const CALM = { lost: 0, slow: 0, slowMs: 0 }

function hashOf(events: number, stream: string): string {
  let hash = events
  for (let at = 0; at < stream.length; at += 1)
    hash = Math.imul(hash ^ stream.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
