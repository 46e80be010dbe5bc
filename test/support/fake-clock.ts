import { setImmediate } from 'node:timers/promises'

import type { Clock } from '../../packages/core/dispatch/clock.ts'

export interface FakeClock extends Clock {
  /** Every sleep that was begun, in milliseconds. */
  readonly sleeps: readonly number[]
  /** Runs until the work has ended; whenever everybody waits, the time of the first sleeper comes. */
  run<Result>(work: Promise<Result>): Promise<Result>
}

export function fakeClock(start = 1_000_000): FakeClock {
  let now = start
  const sleeps: number[] = []
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>()
  return {
    sleeps,
    now: () => now,
    sleep(ms, signal) {
      sleeps.push(ms)
      if (signal.aborted) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      const sleeper = { due: now + ms, wake: resolve }
      sleepers.add(sleeper)
      signal.addEventListener('abort', () => resolve(), { once: true })
      return promise.finally(() => sleepers.delete(sleeper))
    },
    async run(work) {
      const ended = new AbortController()
      const end = (): void => ended.abort()
      work.then(end, end)
      while (!ended.signal.aborted) {
        for (let turn = 0; turn < 5; turn += 1) await setImmediate()
        const [first] = [...sleepers].toSorted((a, b) => a.due - b.due)
        if (first === undefined) continue
        now = Math.max(now, first.due)
        first.wake()
      }
      return work
    },
  }
}
