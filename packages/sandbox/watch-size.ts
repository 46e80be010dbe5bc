import { setTimeout } from 'node:timers/promises'
import { folderSize } from './folder-size.ts'

const EVERY_MS = 500
/** Looking may take this part of the time: a folder of a hundred thousand files is looked at less often. */
const SHARE = 0.05
/** A full box may still be tidied up, which begins with writing a little. */
const ROOM_WHEN_FULL = 64 << 20

/**
 * Calls back once a folder holds more than it may. What it held when the command began may be more: then it may not grow by much, and never to twice
 * of what it may hold. A short command is not looked at. Ends with the signal.
 */
export async function watchSize(
  folder: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  onTooLarge: () => void,
): Promise<void> {
  let limit: number | undefined
  for (let wait = EVERY_MS; await isWatchedAfter(wait, signal);) {
    const started = performance.now()
    const bytes = await folderSize(folder)
    wait = Math.max(EVERY_MS, (performance.now() - started) / SHARE)
    limit ??= Math.min(Math.max(maxBytes, bytes + ROOM_WHEN_FULL), maxBytes * 2)
    if (bytes > limit) return onTooLarge()
  }
}

async function isWatchedAfter(ms: number, signal: AbortSignal): Promise<boolean> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined)
  return !signal.aborted
}
