import type { Timers } from '../../packages/core/dispatch/clock.ts'

export interface HandClock extends Timers {
  /** Whatever falls due on the way is called, in order. */
  advance(ms: number): void
}

interface Due {
  at: number
  readonly everyMs: number | undefined
  readonly run: () => void
}

/** Time passes only when a test lets it. */
export function handClock(start = 1_000_000): HandClock {
  let now = start
  const waiting = new Set<Due>()

  function wait(ms: number, run: () => void, everyMs?: number): () => void {
    const due = { at: now + ms, everyMs, run }
    waiting.add(due)
    return () => waiting.delete(due)
  }

  return {
    now: () => now,
    after: (ms, run) => wait(ms, run),
    every: (ms, run) => wait(ms, run, ms),
    async sleep(ms, signal) {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const callOff = wait(ms, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      callOff()
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [first] = [...waiting].toSorted((a, b) => a.at - b.at)
        if (first === undefined || first.at > end) break
        now = first.at
        if (first.everyMs === undefined) waiting.delete(first)
        else first.at += first.everyMs
        first.run()
      }
      now = end
    },
  }
}
