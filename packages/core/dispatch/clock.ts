import { setTimeout } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
}
