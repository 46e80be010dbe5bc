import { setTimeout as pause } from 'node:timers/promises'

export interface Clock {
  /**
   * Milliseconds since the epoch, as the process found them when it started. They move on at the pace of time and never back: when a
   * machine's clock is set, nothing that is waited for comes an hour early or late.
   */
  now(): number
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A clock that calls back. What is called off with the answer is not called any more. */
export interface Timers extends Clock {
  after(ms: number, run: () => void): () => void
  every(ms: number, run: () => void): () => void
}

export const systemClock: Timers = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  async sleep(ms, signal) {
    try {
      await pause(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  every(ms, run) {
    const timer = setInterval(run, ms)
    return () => clearInterval(timer)
  },
}
