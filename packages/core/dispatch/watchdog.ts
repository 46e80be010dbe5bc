import type { Clock } from './clock.ts'

export interface Watchdog extends AsyncDisposable {
  /** Aborts when nothing was alive for the whole time. */
  readonly signal: AbortSignal
  alive(): void
}

/** One sleeper that looks again when it wakes, so that a sign of life costs no timer. */
export function startWatchdog(clock: Clock, ms: number): Watchdog {
  const bite = new AbortController()
  const dismissed = new AbortController()
  let due = clock.now() + ms
  const watching = watch()
  return {
    signal: bite.signal,
    alive: () => {
      due = clock.now() + ms
    },
    async [Symbol.asyncDispose]() {
      dismissed.abort()
      await watching
    },
  }

  async function watch(): Promise<void> {
    while (!dismissed.signal.aborted) {
      const left = due - clock.now()
      if (left <= 0) return bite.abort()
      await clock.sleep(left, dismissed.signal)
    }
  }
}
