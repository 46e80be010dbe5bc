import type { Timers } from '@arbe/core/dispatch/clock'
import type { AppendHint, LiveBus } from '@arbe/core/streams/live-bus'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import { type ThreadId, toOffset } from '@arbe/sdk'
import type { BackstageConfig } from './config.ts'
import { decideNext, type DeciderParts } from './decide-next.ts'
import { createLeaseKeeper, type Hold, type LeaseKeeper } from './lease-keeper.ts'
import { LiveShow } from './live-show.ts'
import { modelsWhile } from './models-while.ts'
import { takeTurn, type TurnParts } from './take-turn.ts'
import { type Director, runThreadDirectorWake } from './thread-director-wake.ts'
import { startWakeLoop } from './wake-loop.ts'

/** All that a worker touches: nothing in it knows of another clock, engine or process. */
export interface BackstageWorld
  extends Omit<DeciderParts, 'clock' | 'quietMs'>, Omit<TurnParts, 'clock' | 'idleMs'> {
  readonly bus: LiveBus
  readonly clock: Timers
  readonly timeOfDay: () => number
  /** Names this worker among all that there ever were. */
  readonly holder: string
  readonly config: BackstageConfig
  /** Done with every sweep. */
  readonly tidyUp: () => Promise<void>
  readonly onError: (error: unknown, threadId?: ThreadId) => void
}

export interface Backstage {
  /** Begins nothing more, lets what runs end within the time for that, and hands back the rest, due at once for whoever comes next. */
  close(): Promise<void>
}

/** Serves wakes until it is closed: one of any number of workers on one database. */
export function runBackstage(world: BackstageWorld): Backstage {
  const { store, bus, clock, config, onError } = world
  const keeper = createLeaseKeeper(store, world.holder, { clock, ...config })
  let isClosing = false
  const director = { ...createDirector(world, keeper), isClosing: () => isClosing }
  const loop = startWakeLoop({
    due: (limit) => store.dueThreads(limit),
    run: (threadId) => runThreadDirectorWake(director, threadId),
    atOnce: config.turnsAtOnce,
    pollMs: config.pollMs,
    clock,
    onError,
  })
  const deaf = bus.listen({
    // What was said elsewhere may be held there by now.
    onAppended({ threadId, wakes }, from) {
      if (!wakes) return
      if (from === 'here') loop.start(threadId)
      else loop.poke()
    },
    onEvent: (event) => {
      if (event.type === 'stop') keeper.abort(event.threadId, 'stopped')
    },
  })
  const endSweeps = sweepEvery(world, () => loop.poke())

  return {
    async close() {
      isClosing = true
      endSweeps()
      const callOff = clock.after(config.shutdownMs, () => keeper.abortAll('this worker stops'))
      await loop.stop()
      callOff()
      deaf()
    },
  }
}

function sweepEvery(world: BackstageWorld, onSwept: () => void): () => void {
  const { store, clock, config, tidyUp, onError } = world
  if (config.sweepMs === undefined) return () => undefined
  return clock.every(config.sweepMs, () => {
    void store.sweep().then(onSwept, onError)
    void tidyUp().catch(onError)
  })
}

function createDirector(world: BackstageWorld, keeper: Pick<LeaseKeeper, 'hold'>): Director {
  const { bus, clock, config, store, timeOfDay } = world
  const shared = { ...world, idleMs: config.modelIdleMs, quietMs: config.quietMs }
  const shows = new WeakMap<Hold, LiveShow>()
  const showOf = (hold: Hold): LiveShow => {
    const show = shows.get(hold)
    if (show === undefined) throw new Error('a thread is shown while it is held')
    return show
  }

  const onAppended = (hint: AppendHint): void => bus.appended(hint)

  return {
    store,
    async hold(threadId) {
      const hold = await keeper.hold(threadId)
      if (hold === undefined) return undefined
      const show = new LiveShow({ bus, hold, clock, timeOfDay, ...config })
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
      const parts = { ...shared, models: modelsWhile(hold, shared.models) }
      return await decideNext(parts, hold, { view: viewOf(capture), d: capture.d })
    },
    async takeTurn(hold, capture, decision) {
      const order = { hold, show: showOf(hold), capture, decision, onAppended }
      return await takeTurn({ ...shared, models: modelsWhile(hold, shared.models) }, order)
    },
    // With nothing new in it.
    onGivenBack: (threadId) => bus.appended({ threadId, seq: toOffset(0), wakes: true }),
    onFailure: (threadId, error) => world.onError(error, threadId),
  }
}
