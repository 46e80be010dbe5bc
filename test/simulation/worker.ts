import type { ThreadId } from '@arbe/sdk'
import { runBackstage } from '../../apps/backstage/src/run-backstage.ts'
import type { LedgerCall } from '../../packages/core/models/ledger.ts'
import { createMemoryStore } from '../../packages/core/thread-director/thread-director-memory.ts'
import { createMemoryTurnStore } from '../../packages/core/thread-director/thread-director-memory-turn-store.ts'
import type { DirectorStore } from '../../packages/core/thread-director/thread-director-port.ts'
import type { Activity } from './activity.ts'
import type { Ledger } from './books.ts'
import type { CountedTools } from './counted-tools.ts'
import type { SimulatedHouse } from './house.ts'
import type { LiveHints } from './live-hints.ts'
import { ConnectionLost, wayOf, type NetworkParts } from './network.ts'
import type { Plan } from './plan.ts'
import { clockOf, type Life } from './process.ts'
import { scriptedModel, type ScriptParts } from './scripted-model.ts'
import type { Mutation } from './simulate.ts'
import type { Watch } from './watch.ts'

export interface WorkerParts extends NetworkParts {
  readonly plan: Plan
  readonly db: SimulatedHouse
  readonly ledger: Ledger
  readonly tools: CountedTools
  readonly activity: Activity
  readonly hints: LiveHints
  readonly script: Omit<ScriptParts, 'timeline' | 'chance' | 'habits'>
  readonly watch: Watch
  /** What is to be missing. */
  readonly mutation: Mutation
}

export const LEASE_MS = 12_000
export const RENEW_MS = 4_000
export const POLL_MS = 10_000
export const SWEEP_MS = 30_000
const HOUR = 60 * 60_000

/** Starts the product's worker in a process of its own. */
export function startWorker(name: string, parts: WorkerParts): Life {
  const { timeline, chance, plan, db, watch, mutation } = parts
  const life: Life = { name, alive: true, stalledUntil: 0 }
  const step = wayOf(life, parts)
  const offMs = chance.pick([0, HOUR, -HOUR])
  const whole = {
    store: createMemoryStore(db.house, { step }),
    turns: createMemoryTurnStore(db.house, {
      step,
      commit: (...effect) => parts.tools.commit(...effect),
    }),
  }
  const { store, fenceOf } = withFences(mutation.store?.(whole.store, db) ?? whole.store)
  let booked: LedgerCall | undefined
  const work = (what: string, threadId: ThreadId) =>
    parts.activity.begin({ what, threadId, fence: fenceOf(threadId), life })

  const model = scriptedModel(
    life,
    { ...parts.script, timeline, chance, habits: plan.habits },
    (request) => {
      if (booked === undefined) throw new Error('a call is in the books before it is made')
      watch.onModelCall(booked, request)
      return work(`a ${booked.purpose} call`, booked.threadId)
    },
  )
  let ids = 0
  runBackstage({
    store,
    turns: mutation.turns?.(whole.turns, db) ?? whole.turns,
    books: parts.ledger.booksOf(step, (call) => (booked = call)),
    models: { find: () => model, defaultName: model.id, names: [model.id] },
    db: { query: () => Promise.reject(new Error('no tool of a simulation reads the database')) },
    buildTools: parts.tools.toolsOf(life, (ctx, tool) => work(tool, ctx.threadId)),
    toolNames: async () => () => [],
    bus: parts.hints.busOf(life),
    clock: clockOf(timeline, life, plan.clocksApart ? offMs : 0),
    timeOfDay: () => 0,
    random: () => chance.next(),
    newCallId: () => `${name}:${(ids += 1)}`,
    holder: name,
    tidyUp: async () => undefined,
    config: {
      databaseUrl: undefined,
      turnsAtOnce: plan.turnsAtOnce,
      quietMs: 400,
      leaseMs: LEASE_MS,
      renewMs: RENEW_MS,
      modelIdleMs: 20_000,
      pollMs: POLL_MS,
      sweepMs: plan.sweep ? SWEEP_MS : undefined,
      shutdownMs: 25_000,
    },
    onError: (error, threadId) => {
      if (!(error instanceof ConnectionLost)) watch.onError(name, error, threadId)
    },
  })
  return life
}

/** Remembers under which fence a life holds its threads. */
function withFences(store: DirectorStore) {
  const fences = new Map<ThreadId, number>()
  return {
    fenceOf: (threadId: ThreadId): number => fences.get(threadId) ?? 0,
    store: {
      ...store,
      async claim(...args: Parameters<DirectorStore['claim']>) {
        const claim = await store.claim(...args)
        if (claim.status === 'claimed') fences.set(args[0], claim.lease.fence)
        return claim
      },
    },
  }
}
