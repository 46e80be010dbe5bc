import type { Timers } from '@arbe/core/dispatch/clock'
import type { ThreadId } from '@arbe/sdk'

export interface WakeLoop {
  /** Something may be due: look now. A lost poke costs one poll. */
  poke(): void
  /** Takes nothing new, and resolves when all that runs has ended. */
  stop(): Promise<void>
}

export interface WakeLoopParts {
  readonly due: (limit: number) => Promise<readonly ThreadId[]>
  /** A run that throws may have left its thread due: it is looked for at the next poll, since at once it would fail without end. */
  readonly run: (threadId: ThreadId) => Promise<void>
  readonly atOnce: number
  readonly pollMs: number
  readonly clock: Pick<Timers, 'every'>
  readonly onError: (error: unknown, threadId?: ThreadId) => void
}

/** Keeps up to `atOnce` threads running: looks for due ones when poked, when one ends, and every `pollMs`. */
export function startWakeLoop(parts: WakeLoopParts): WakeLoop {
  const running = new Map<ThreadId, Promise<void>>()
  let stopped = false
  let looking = false
  // A poke during a look may be about a row that the look did not see.
  let lookAgain = false
  const endPolls = parts.clock.every(parts.pollMs, poke)

  function poke(): void {
    if (stopped) return
    if (looking) {
      lookAgain = true
      return
    }
    void look()
  }

  async function look(): Promise<void> {
    looking = true
    try {
      do {
        lookAgain = false
        await startDue()
        // oxlint-disable-next-line typescript/no-unnecessary-condition -- poke() sets it meanwhile
      } while (lookAgain)
    } catch (error) {
      parts.onError(error)
    } finally {
      looking = false
    }
  }

  async function startDue(): Promise<void> {
    const free = parts.atOnce - running.size
    if (free <= 0) return
    // Rows of threads that run here are due again while a claim is on its way, so more are asked for than can start.
    const due = await parts.due(free + running.size)
    for (const threadId of due.filter((id) => !running.has(id)).slice(0, free)) {
      if (stopped) return
      running.set(threadId, run(threadId))
    }
  }

  async function run(threadId: ThreadId): Promise<void> {
    try {
      await parts.run(threadId)
    } catch (error) {
      parts.onError(error, threadId)
      return
    } finally {
      running.delete(threadId)
    }
    poke()
  }

  poke()
  return {
    poke,
    async stop() {
      stopped = true
      endPolls()
      await Promise.allSettled(running.values())
    },
  }
}
