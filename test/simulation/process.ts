import type { Timers } from '../../packages/core/dispatch/clock.ts'
import type { Timeline } from './timeline.ts'

/** One life of a worker: its memory is gone when it dies, and its next life knows nothing of it. */
export interface Life {
  readonly name: string
  alive: boolean
  stalledUntil: number
}

/** A life's clock: begins at any time of day, and goes on while the process stands still. */
export function clockOf(timeline: Timeline, life: Life, beganAt: number): Timers {
  const clock: Timers = {
    now: () => beganAt + timeline.now,
    sleep(ms, signal) {
      if (signal.aborted) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = (): void => {
        callOff()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const callOff = clock.after(ms, end)
      signal.addEventListener('abort', end)
      return promise
    },
    after: (ms, run) => timeline.in(ms, { what: 'timer', owner: life, run }),
    every(ms, run) {
      let callOff = clock.after(ms, repeat)
      function repeat(): void {
        callOff = clock.after(ms, repeat)
        run()
      }
      return () => callOff()
    },
  }
  return clock
}
