import { FeedCursor } from '../../apps/www/src/server/feed-cursor.ts'
import { LiveFeed } from '../../apps/www/src/server/live-feed.ts'
import type { TailReader } from '../../packages/core/streams/live-tail.ts'
import {
  type EntryOf,
  toActorId,
  toHouseId,
  toOffset,
  toThreadId,
} from '../../packages/sdk/index.ts'

const threadId = toThreadId('thr_a')

/** A feed of one thread that a test fills itself, as the tail would. */
export function openFeedByHand() {
  const readers: TailReader[] = []
  const closed: LiveFeed[] = []
  const feed = new LiveFeed({
    reader: {
      kind: 'person',
      tokenKind: 'ses',
      tokenHash: '',
      role: 'member',
      houseId: toHouseId('hse_a'),
      id: toActorId('usr_b'),
    },
    start: {
      cursor: new FeedCursor(1_900_000_000_000),
      threads: [{ threadId, after: toOffset(0) }],
      isReset: false,
    },
    open: (reader) => {
      readers.push(reader)
      return { follow: () => {}, unfollow: () => {}, [Symbol.dispose]: () => {} }
    },
    onClosed: (one) => closed.push(one),
    onLeft: () => {},
  })
  const [reader] = readers
  if (reader === undefined) throw new Error('the feed follows nothing')
  return { feed, reader, closed }
}

/** One more message in that thread, a millisecond after the one before. */
export function chatAt(seq: number, text: string): EntryOf<'chat'> {
  return {
    threadId,
    seq: toOffset(seq),
    key: `k${seq}`,
    kind: 'chat',
    authorId: toActorId('usr_a'),
    authorKind: 'person',
    wakes: true,
    readable: true,
    causedBy: null,
    hops: 0,
    body: { text, mentions: [], everyone: false },
    createdAt: new Date(1_900_000_000_000 + seq).toISOString(),
  }
}
