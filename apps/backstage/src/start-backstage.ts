import type { Database } from '@arbe/core/db/executor'
import { botToolNames } from '@arbe/core/dispatch/bot-tool-names'
import { systemClock } from '@arbe/core/dispatch/clock'
import { forgetAsked } from '@arbe/core/models/asked-requests'
import type { Models } from '@arbe/core/models/model'
import type { AppendHint, LiveBus } from '@arbe/core/streams/live-bus'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import type { DecisionPlace } from '@arbe/core/thread-director/thread-director-model-call'
import type { DirectorStore } from '@arbe/core/thread-director/thread-director-port'
import type { ThreadId } from '@arbe/sdk'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { BackstageConfig } from './config.ts'
import { decideNext } from './decide-next.ts'
import { createLeaseKeeper, type Hold, type LeaseKeeper } from './lease-keeper.ts'
import { LiveShow } from './live-show.ts'
import { takeTurn } from './take-turn.ts'
import { type Director, runThreadDirectorWake } from './thread-director-wake.ts'
import { startWakeLoop } from './wake-loop.ts'

export interface BackstageParts {
  readonly db: Database
  readonly store: DirectorStore
  readonly bus: LiveBus
  readonly models: Models
  readonly config: BackstageConfig
  readonly onError: (error: unknown, threadId?: ThreadId) => void
}

export interface Backstage {
  /** Ends what runs and hands the rest back, within `SHUTDOWN_MS`. */
  close(): Promise<void>
}

/** What is still at work then is cut off; whoever comes next takes it up. */
const SHUTDOWN_MS = 25_000

/** Serves wakes until it is closed: one of any number of workers on one database. */
export function startBackstage(parts: BackstageParts): Backstage {
  const { store, bus, config, onError } = parts
  const keeper = createLeaseKeeper(store, `${hostname()}:${process.pid}:${randomUUID()}`, config)
  const director = createDirector(parts, keeper)
  const loop = startWakeLoop({
    due: (limit) => store.dueThreads(limit),
    run: (threadId) =>
      runThreadDirectorWake(director, threadId).catch((error: unknown) => onError(error, threadId)),
    atOnce: config.turnsAtOnce,
    pollMs: config.pollMs,
    onError,
  })
  const deaf = bus.listen({
    onAppended: ({ wakes }) => {
      if (wakes) loop.poke()
    },
    onEvent: (event) => {
      if (event.type === 'stop') keeper.abort(event.threadId, 'stopped')
    },
  })
  const sweep =
    config.sweepMs === undefined
      ? undefined
      : setInterval(() => {
          void store.sweep().then(() => loop.poke(), onError)
          void forgetAsked(parts.db).catch(onError)
        }, config.sweepMs)

  return {
    async close() {
      clearInterval(sweep)
      deaf()
      const deadline = setTimeout(() => keeper.abortAll('this worker shuts down'), SHUTDOWN_MS)
      await loop.stop()
      clearTimeout(deadline)
    },
  }
}

function createDirector(parts: BackstageParts, keeper: Pick<LeaseKeeper, 'hold'>): Director {
  const shared = {
    db: parts.db,
    models: parts.models,
    store: parts.store,
    clock: systemClock,
    newCallId: randomUUID,
    idleMs: parts.config.modelIdleMs,
    random: Math.random,
    quietMs: parts.config.quietMs,
    toolNames: ({ houseId, threadId, d }: DecisionPlace) =>
      botToolNames({ db: parts.db, houseId, threadId, decision: d }),
  }
  const shows = new WeakMap<Hold, LiveShow>()
  const showOf = (hold: Hold): LiveShow => {
    const show = shows.get(hold)
    if (show === undefined) throw new Error('a thread is shown while it is held')
    return show
  }

  const onAppended = (hint: AppendHint): void => parts.bus.appended(hint)

  return {
    store: parts.store,
    async hold(threadId) {
      const hold = await keeper.hold(threadId)
      if (hold === undefined) return undefined
      const show = new LiveShow({ bus: parts.bus, hold, ...parts.config })
      const shown: Hold = {
        ...hold,
        async [Symbol.asyncDispose]() {
          show[Symbol.dispose]()
          await hold[Symbol.asyncDispose]()
        },
      }
      shows.set(shown, show)
      return shown
    },
    async decide(hold, capture) {
      showOf(hold).deciding()
      return await decideNext(shared, hold, { view: viewOf(capture), d: capture.d })
    },
    async takeTurn(hold, capture, decision) {
      const order = { hold, show: showOf(hold), capture, decision, onAppended }
      return await takeTurn(shared, order)
    },
    onFailure: (threadId, error) => parts.onError(error, threadId),
  }
}
