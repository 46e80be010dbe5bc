import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import { DatabaseAway } from './database-away.ts'
import type { EmbeddedEngine } from './embedded-engine.ts'

export interface OpenEngine {
  readonly engine: EmbeddedEngine
  /** Gives back what a broken engine holds of the system; it is not used any more. */
  abandon(): void
}

export interface KeptOpen {
  /** Throws DatabaseAway while a broken engine is being replaced. */
  engine(): EmbeddedEngine
  close(): Promise<void>
}

/** One segment of the log, which recovery writes before anything else, and a little for what follows. */
const ROOM_BYTES = 24 * 1024 * 1024
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 2_000

/**
 * Replaces an engine that breaks by a new one on the same folder, as after a crash: what was acknowledged is in the log. Without room on
 * the disk it waits for it, since each attempt would fail and take its memory first.
 */
export async function keepOpen(
  folder: string,
  open: (onBroken: (cause: Error) => void) => Promise<OpenEngine>,
): Promise<KeptOpen> {
  const closing = new AbortController()
  let reopening: Promise<void> | undefined
  let current: OpenEngine | undefined = await open(broke)

  function broke(): void {
    current?.abandon()
    current = undefined
    reopening = reopen()
  }

  async function reopen(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      await sleep(wait, undefined, { signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return
      if (!(await hasRoom(folder))) continue
      // What keeps it from opening is said by every statement until it opens.
      current = await open(broke).catch(() => undefined)
      if (current !== undefined) return
    }
  }

  return {
    engine() {
      if (current === undefined)
        throw new DatabaseAway('the embedded database broke and is being opened again')
      return current.engine
    },
    async close() {
      closing.abort()
      await reopening
      await current?.engine.close()
    },
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  // A folder that cannot be looked at cannot be opened either: the attempt shows when that changes.
  const found = await statfs(folder).catch(() => undefined)
  return found === undefined || found.bavail * found.bsize >= ROOM_BYTES
}
