import { type Entry, type Offset, type ThreadId, toOffset, toThreadId } from '@arbe/sdk'

/**
 * How long after it was written an entry may reach a feed. Threads quiet for longer need no place in the cursor: all they have is
 * older than this, and was sent.
 */
export const WINDOW_MS = 60_000
/** Keeps a cursor below 6 KB; past it a reader starts anew, or gets an entry twice, but misses none. */
export const PLACES_MAX = 100

interface Place {
  readonly seq: Offset
  /** When the entry there was written. */
  readonly at: number
  /** Sent up to here the thread has caught up; before that its place must not be forgotten. */
  readonly behindUntil?: Offset
}

/**
 * Where a feed over many threads stands, in one short text that its reader sends back: the newest time of writing seen, and the exact
 * place in each thread in which something was written within a window before that. Of any other thread all that is older than the
 * window was sent, and nothing newer. So nothing is kept for a reader that is away, however many threads it follows.
 */
export class FeedCursor {
  #at: number
  readonly #places: Map<ThreadId, Place>

  constructor(at: number, places: Iterable<readonly [ThreadId, Place]> = []) {
    this.#at = at
    this.#places = new Map(places)
  }

  /** Entries of threads without a place are new to the reader when they were written after this. */
  get horizon(): number {
    return this.#at - WINDOW_MS
  }

  seqs(): Readonly<Record<ThreadId, Offset>> {
    return Object.fromEntries(Array.from(this.#places, ([threadId, { seq }]) => [threadId, seq]))
  }

  put(threadId: ThreadId, place: Place): void {
    this.#places.set(threadId, place)
  }

  /** Moves past an entry that is about to be sent. */
  advance(entry: Pick<Entry, 'threadId' | 'seq' | 'createdAt'>): void {
    const { threadId, seq } = entry
    const at = Date.parse(entry.createdAt)
    const behindUntil = this.#places.get(threadId)?.behindUntil
    this.#at = Math.max(this.#at, at)
    // Last in the map is newest, so that the oldest places are the first to go.
    this.#places.delete(threadId)
    this.#places.set(
      threadId,
      behindUntil === undefined || seq >= behindUntil ? { seq, at } : { seq, at, behindUntil },
    )
    this.#forgetOld()
  }

  #forgetOld(): void {
    let surplus = this.#places.size - PLACES_MAX
    for (const [threadId, { at, behindUntil }] of this.#places) {
      if (behindUntil !== undefined) continue
      if (at >= this.horizon && surplus <= 0) continue
      this.#places.delete(threadId)
      surplus -= 1
    }
  }

  /** All that it knows, in its text; undefined while a thread has to catch up, which the text does not say. */
  toWholeText(): string | undefined {
    const isBehind = Array.from(this.#places.values()).some(
      ({ behindUntil }) => behindUntil !== undefined,
    )
    return isBehind ? undefined : this.toText()
  }

  toText(): string {
    const places = Array.from(
      this.#places,
      ([threadId, { seq, at }]) => `${threadId}~${seq.toString(36)}~${at.toString(36)}`,
    )
    return ['1', this.#at.toString(36), ...places].join('.')
  }
}

const SHAPE = /^1\.[0-9a-z]{1,11}(?:\.thr_[0-9a-z]{1,40}~[0-9a-z]{1,11}~[0-9a-z]{1,11})*$/

/** Undefined for what no feed has sent. */
export function parseFeedCursor(text: string): FeedCursor | undefined {
  if (text.length > 10_000 || !SHAPE.test(text)) return undefined
  const [, at = '', ...places] = text.split('.')
  return new FeedCursor(
    Number.parseInt(at, 36),
    places.map((place) => {
      const [threadId = '', seq = '', written = ''] = place.split('~')
      return [
        toThreadId(threadId),
        { seq: toOffset(Number.parseInt(seq, 36)), at: Number.parseInt(written, 36) },
      ]
    }),
  )
}
