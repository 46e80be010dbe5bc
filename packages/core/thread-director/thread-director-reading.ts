import type { Entry, Offset, ThreadId } from '@arbe/sdk'
import { type CaptureJson, TAIL_MAX, toCapture } from './thread-director-capture.ts'
import type { Capture, Lease } from './thread-director-port.ts'

/** How a capture is to be read: the last `recent` entries, of what came after `known`; null: of what the row's cache lacks. */
export interface ReadFrom {
  readonly recent: number
  readonly known: Offset | null
}

/** What holders have read of their threads. Entries never change, so a holder's next capture reads only what came since. */
export interface Readings {
  /** What this process read of the thread in an earlier lease. */
  remembered(threadId: ThreadId): Reading | undefined
  /** A claim with the capture that came along, which was told of `before`. */
  begin(lease: Lease, before: Reading | undefined, json: CaptureJson): void
  readFrom(lease: Lease): ReadFrom
  /** A capture that came along with another answer, for the holder's next one. */
  bring(lease: Lease, json: CaptureJson | null): void
  take(lease: Lease): CaptureJson | undefined
  toCapture(lease: Lease, json: CaptureJson): Capture
  /** The tail as the row's cache should hold it; undefined while the cache is good enough. */
  staleTail(lease: Lease): string | undefined
}

export interface Reading {
  readonly tail: readonly Entry[]
  readonly through: Offset
  readonly cachedTo: Offset
  readonly decidedOffset: Offset
}

export function createReadings(): Readings {
  const readings = new WeakMap<Lease, Reading>()
  const brought = new WeakMap<Lease, CaptureJson>()
  const resting = new Map<ThreadId, Reading>()

  // The one read last is the last to be forgotten.
  function remember(threadId: ThreadId, reading: Reading): void {
    resting.delete(threadId)
    if (charsIn(reading.tail) <= CACHE_CHARS) resting.set(threadId, reading)
    const [oldest] = resting.keys()
    if (resting.size > MOST_REMEMBERED && oldest !== undefined) resting.delete(oldest)
  }

  return {
    remembered: (threadId) => resting.get(threadId),

    begin(lease, before, json) {
      // In a house brought back from a backup, what was decided is to be decided again, and may not be in the tail any more.
      if (before !== undefined && json.decidedOffset < before.decidedOffset) return
      brought.set(lease, json)
      if (before !== undefined && json.known !== null) readings.set(lease, before)
    },

    readFrom: (lease) => ({ recent: TAIL_MAX, known: readings.get(lease)?.through ?? null }),

    bring(lease, json) {
      if (json !== null) brought.set(lease, json)
    },

    take(lease) {
      const json = brought.get(lease)
      brought.delete(lease)
      return json
    },

    toCapture(lease, json) {
      const capture = toCapture(json, readings.get(lease)?.tail)
      const { tail, seen: through, decidedOffset, more } = capture
      // Of a longer backlog the entries behind the hundredth are not here yet.
      if (more) {
        readings.delete(lease)
        resting.delete(lease.threadId)
        return capture
      }
      const reading = { tail, through, cachedTo: json.cachedTo, decidedOffset }
      readings.set(lease, reading)
      remember(lease.threadId, reading)
      return capture
    },

    staleTail(lease) {
      const reading = readings.get(lease)
      if (reading === undefined) return undefined
      const { tail, cachedTo } = reading
      if (tail.filter(({ seq }) => seq > cachedTo).length < CACHE_STEP) return undefined
      const text = JSON.stringify(tail)
      return text.length > CACHE_CHARS ? undefined : text
    },
  }
}

// Writing the cache costs about what reading twenty entries without it does.
const CACHE_STEP = 20
// With texts so long that the tail exceeds this, entries are read from the stream.
const CACHE_CHARS = 128 * 1024
const MOST_REMEMBERED = 200

function charsIn(tail: readonly Entry[]): number {
  return tail.reduce((sum, { body }) => sum + ('text' in body ? body.text.length : 0), 0)
}
