import type { Timers } from '@arbe/core/dispatch/clock'
import type { ThreadId } from '@arbe/sdk'

export interface WakeLoop {
  /** Something may be due: look now. A lost poke costs one poll. */
  poke(): void
  /** This thread is due: it runs at once, where there is room. */
  start(threadId: ThreadId): void
  /** Takes nothing new, and resolves when all that runs has ended. */
  stop(): Promise<void>
}

export interface WakeLoopParts {
  readonly due: (limit: number) => Promise<readonly ThreadId[]>
  /** Whether the thread is due again. One that throws may be, too: it is looked for at the next poll, since at once it would fail without end. */
  readonly run: (threadId: ThreadId) => Promise<boolean>
  readonly atOnce: number
  readonly pollMs: number
  readonly clock: Pick<Timers, 'every'>
  readonly onError: (error: unknown, threadId?: ThreadId) => void
}

/** Keeps up to `atOnce` threads running: looks for due ones when poked, every `pollMs`, and when one ends behind which something may be due. */
export function startWakeLoop(parts: WakeLoopParts): WakeLoop {
  const running = new Map<ThreadId, Promise<void>>()
  let stopped = false
  // Something may be due when one that runs has ended.
  let mayBeDue = false
  const endPolls = parts.clock.every(parts.pollMs, poke)

  const look = oneAtATime(startDue, parts.onError)

  function poke(): void {
    if (!stopped) look()
  }

  async function startDue(): Promise<void> {
    mayBeDue = running.size >= parts.atOnce
    if (mayBeDue) return
    // Rows of threads that run here are due again while a claim is on its way, so more are asked for than can start.
    const due = await parts.due(parts.atOnce)
    for (const threadId of due) start(threadId)
    mayBeDue ||= due.length === parts.atOnce
  }

  function start(threadId: ThreadId): void {
    const hasRoom = running.size < parts.atOnce && !running.has(threadId)
    if (!hasRoom) mayBeDue = true
    else if (!stopped) running.set(threadId, run(threadId))
  }

  async function run(threadId: ThreadId): Promise<void> {
    try {
      if (await parts.run(threadId)) mayBeDue = true
    } catch (error) {
      parts.onError(error, threadId)
      return
    } finally {
      running.delete(threadId)
    }
    if (mayBeDue) poke()
  }

  poke()
  return {
    poke,
    start,
    async stop() {
      stopped = true
      endPolls()
      await Promise.allSettled(running.values())
    },
  }
}

/** Asked for while it runs, it runs once more: what a poke is about, the look that is under way may not have seen. */
function oneAtATime(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isRunning = false
  let isWanted = false

  async function run(): Promise<void> {
    isRunning = true
    try {
      for (isWanted = true; isWanted;) {
        isWanted = false
        await work()
      }
    } catch (error) {
      onError(error)
    } finally {
      isRunning = false
    }
  }

  return () => {
    if (isRunning) isWanted = true
    else void run()
  }
}
