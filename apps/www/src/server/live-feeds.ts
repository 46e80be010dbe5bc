import { type Actor, findLiveTokens } from '@arbe/core/access/authorship'
import type { Executor } from '@arbe/core/db/executor'
import type { EphemeralEvent } from '@arbe/core/streams/ephemeral-outbox'
import type { LiveBus } from '@arbe/core/streams/live-bus'
import type { LiveTail } from '@arbe/core/streams/live-tail'
import { toOffset, toThreadId } from '@arbe/sdk'
import type { FeedCursor } from './feed-cursor.ts'
import { readFeedStart } from './feed-start.ts'
import { BEAT, type FeedParts, LiveFeed, encodeEvent } from './live-feed.ts'
import { DoorRefused } from './problem.ts'
import { isInThread, readJoins } from './read-joins.ts'

const BEAT_MS = 15_000
/** A reader whose token ended, or whose role changed, is closed at the latest this long after. */
const WATCH_MS = 2_000
/** Of one person or bot in this process; a browser needs one, however many tabs it has. */
const FEEDS_MAX = 50

type Place = Parameters<FeedParts['onLeft']>[1]

export interface LiveFeedsParts {
  readonly db: Executor
  readonly tail: Pick<LiveTail, 'open'>
  readonly bus: Pick<LiveBus, 'listen'>
  /** The database did not answer; the next look comes by itself. */
  readonly onError: (error: unknown) => void
}

/** All feeds of a process, and the two looks that keep them right: who may still read, and who joined a thread. */
export class LiveFeeds {
  readonly #parts: LiveFeedsParts
  readonly #feeds = new Set<LiveFeed>()
  readonly #stops: readonly (() => void)[]
  #isClosed = false

  constructor(parts: LiveFeedsParts) {
    this.#parts = parts
    const beats = setInterval(() => this.#beat(), BEAT_MS)
    const looks = setInterval(() => void this.#look().catch(parts.onError), WATCH_MS)
    this.#stops = [
      () => clearInterval(beats),
      () => clearInterval(looks),
      parts.bus.listen({ onEvent: (event) => this.#passOn(event) }),
    ]
  }

  /** A feed from where the cursor stands, or from now. */
  async open(reader: Actor, cursor: FeedCursor | undefined): Promise<ReadableStream<Uint8Array>> {
    const { db, tail } = this.#parts
    const own = [...this.#feeds].filter((feed) => feed.reader.id === reader.id)
    if (own.length >= FEEDS_MAX)
      throw new DoorRefused('too_many_requests', `One reader has at most ${FEEDS_MAX} feeds open.`)
    const start = await readFeedStart(db, reader, cursor)
    const feed = new LiveFeed({
      reader,
      start,
      open: (tailReader) => tail.open(tailReader),
      onClosed: (closed) => this.#feeds.delete(closed),
      onLeft: (left, thread) => void this.#followAgain(left, thread).catch(this.#parts.onError),
    })
    this.#feeds.add(feed)
    if (this.#isClosed) feed.close()
    return feed.stream
  }

  /** Looks at once for threads that are new to a reader, instead of within the next seconds. */
  lookForJoins(): void {
    void this.#followJoins().catch(this.#parts.onError)
  }

  close(): void {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    for (const feed of this.#feeds) feed.close()
  }

  #beat(): void {
    for (const feed of this.#feeds) if (!feed.send(BEAT)) feed.close()
  }

  #passOn(event: EphemeralEvent): void {
    if (event.type === 'stop') return
    const bytes = encodeEvent(event)
    const threadId = toThreadId(event.threadId)
    for (const feed of this.#feeds) if (feed.follows(threadId)) feed.sendPassing(bytes)
  }

  async #look(): Promise<void> {
    if (this.#feeds.size === 0) return
    await this.#closeEnded()
    await this.#followJoins()
  }

  async #closeEnded(): Promise<void> {
    const asked = [...this.#feeds]
    const hashes = new Set(asked.map(({ reader }) => reader.tokenHash))
    const live = await findLiveTokens(this.#parts.db, [...hashes])
    for (const feed of asked) {
      const { reader } = feed
      const role = reader.kind === 'person' ? reader.role : null
      if (live.get(reader.tokenHash) !== role) feed.close()
    }
  }

  /** Who catches up past a time in which they were out of the thread reads on, since they are in it now. */
  async #followAgain(feed: LiveFeed, { threadId, after }: Place): Promise<void> {
    if (!(await isInThread(this.#parts.db, feed.reader, threadId))) return
    if (this.#feeds.has(feed) && !feed.follows(threadId)) feed.follow(threadId, after)
  }

  async #followJoins(): Promise<void> {
    for (const { threadId, seq, added } of await readJoins(this.#parts.db))
      for (const feed of this.#feeds)
        if (added.includes(feed.reader.id) && !feed.follows(threadId))
          feed.follow(threadId, toOffset(seq - 1))
  }
}
