import { setTimeout as sleep } from 'node:timers/promises'

export interface Paced {
  /** Asks for a run; those that ask before it starts share it. */
  touch(): void
  /** Ends after the run that is under way. */
  close(): Promise<void>
}

/** Runs `run` at once when it rested, never twice at a time, and rests for `pauseMs` in between. `run` must not throw. */
export function paced(run: () => Promise<void>, pauseMs: () => number): Paced {
  const closed = new AbortController()
  let isWanted = false
  let running: Promise<void> | undefined

  async function loop(): Promise<void> {
    // What is asked for in the same turn of the event loop goes together.
    await Promise.resolve()
    while (isWanted && !closed.signal.aborted) {
      isWanted = false
      await run()
      await sleep(pauseMs(), undefined, { signal: closed.signal }).catch(() => undefined)
    }
    running = undefined
  }

  return {
    touch() {
      isWanted = true
      running ??= loop()
    },
    async close() {
      closed.abort()
      await running
    },
  }
}
