import { expect, test } from 'vitest'
import type { TailReader } from '@arbe/core/streams/live-tail'
import { type Entry, toActorId, toHouseId, toOffset, toThreadId } from '@arbe/sdk'
import { FeedCursor } from './feed-cursor.ts'
import { LiveFeed, encodeEvent } from './live-feed.ts'

const threadId = toThreadId('thr_a')

function chat(seq: number, text: string): Entry {
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

function openFeed() {
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

test('a reader that takes nothing is given up once a mebibyte waits, and is told where it stood', async () => {
  const { feed, reader, closed } = openFeed()
  let taken = 0
  while (
    taken < 1_000 &&
    reader.deliver({ threadId, entries: [chat(taken + 1, 'x'.repeat(10_000))] })
  )
    taken += 1
  reader.onDropped()
  expect(taken).toBeGreaterThan(90)
  expect(taken).toBeLessThan(106)
  expect(closed).toEqual([feed])
  // What waited is still to be had, whole, and the stream ends after it.
  const text = await new Response(feed.stream).text()
  const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)
  const at = (1_900_000_000_000 + taken).toString(36)
  expect(ids.at(-1)).toBe(`1.${at}.thr_a~${taken.toString(36)}~${at}`)
})

test('what passes by is dropped before an entry is', async () => {
  const { feed, reader } = openFeed()
  const typing = encodeEvent({ type: 'typing', threadId, person: 'usr_a' })
  feed.sendPassing(typing)
  reader.deliver({ threadId, entries: [chat(1, 'x'.repeat(600_000))] })
  feed.sendPassing(typing)
  reader.deliver({ threadId, entries: [chat(2, 'still here')] })
  feed.close()
  const text = await new Response(feed.stream).text()
  expect(text.match(/"typing"/g)).toHaveLength(1)
  expect(text).toContain('still here')
})

test('a feed that was closed takes nothing more', () => {
  const { feed, reader, closed } = openFeed()
  feed.close()
  feed.close()
  expect(reader.deliver({ threadId, entries: [chat(1, 'late')] })).toBe(false)
  expect(closed).toEqual([feed])
})

test('a reader that goes away ends its feed', async () => {
  const { feed, closed } = openFeed()
  await feed.stream.cancel()
  expect(closed).toEqual([feed])
})
