import type { Entry, Offset } from '@arbe/sdk'
import { type CaptureJson, TAIL_MAX, toCapture } from './thread-director-capture.ts'
import type { Capture, Lease } from './thread-director-port.ts'

/** How a capture is to be read: the last `recent` entries, of what came after `known`; null: of what the row's cache lacks. */
export interface ReadFrom {
  readonly recent: number
  readonly known: Offset | null
}

/** What holders have read of their threads. Entries never change, so a holder's next capture reads only what came since. */
export interface Readings {
  readFrom(lease: Lease): ReadFrom
  /** A capture that came along with another answer, for the holder's next one. */
  bring(lease: Lease, json: CaptureJson | null): void
  take(lease: Lease): CaptureJson | undefined
  toCapture(lease: Lease, json: CaptureJson): Capture
  /** The tail as the row's cache should hold it; undefined while the cache is good enough. */
  staleTail(lease: Lease): string | undefined
}

interface Reading {
  readonly tail: readonly Entry[]
  readonly through: Offset
  readonly cachedTo: Offset
}

export function createReadings(): Readings {
  const readings = new WeakMap<Lease, Reading>()
  const brought = new WeakMap<Lease, CaptureJson>()
  return {
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
      const { tail, seen: through, more } = capture
      // Of a longer backlog the entries behind the hundredth are not here yet.
      if (more) readings.delete(lease)
      else readings.set(lease, { tail, through, cachedTo: json.cachedTo })
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
