import { expect, test } from 'vitest'
import { toThreadId } from '@arbe/sdk'
import { chatAt, openFeedByHand } from '../../../../test/support/feed-by-hand.ts'
import { encodeEvent } from './live-feed.ts'

const threadId = toThreadId('thr_a')

test('a reader that takes nothing is given up once a mebibyte waits, and is told where it stood', async () => {
  const { feed, reader, closed } = openFeedByHand()
  let taken = 0
  while (
    taken < 1_000 &&
    reader.deliver({ threadId, entries: [chatAt(taken + 1, 'x'.repeat(10_000))] })
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
  const { feed, reader } = openFeedByHand()
  const typing = encodeEvent({ type: 'typing', threadId, person: 'usr_a' })
  feed.sendPassing(typing)
  reader.deliver({ threadId, entries: [chatAt(1, 'x'.repeat(600_000))] })
  feed.sendPassing(typing)
  reader.deliver({ threadId, entries: [chatAt(2, 'still here')] })
  feed.close()
  const text = await new Response(feed.stream).text()
  expect(text.match(/"typing"/g)).toHaveLength(1)
  expect(text).toContain('still here')
})

test('feeds that stand at one place are sent the same bytes', async () => {
  const feeds = [openFeedByHand(), openFeedByHand(), openFeedByHand()]
  feeds[2]?.reader.deliver({ threadId, entries: [chatAt(1, 'elsewhere')] })
  const batches = [[chatAt(2, 'a'), chatAt(3, 'b')], [chatAt(4, 'c')]]
  for (const entries of batches) {
    const batch = { threadId, entries }
    for (const { reader } of feeds) reader.deliver(batch)
  }
  const [first, second, third] = await Promise.all(
    feeds.map(async ({ feed }) => {
      feed.close()
      const chunks: Uint8Array[] = []
      for await (const chunk of feed.stream) chunks.push(chunk)
      return chunks
    }),
  )
  expect([first?.[1] === second?.[1], first?.[2] === second?.[2]]).toEqual([true, true])
  // It stood elsewhere, and then where the others do.
  expect([first?.[1] === third?.[2], first?.[2] === third?.[3]]).toEqual([false, true])
  const text = (chunks: typeof first) => new TextDecoder().decode(Buffer.concat(chunks ?? []))
  expect(text(first).match(/^id: .+$/gm)).toEqual(
    [0, 2, 3, 4].map((seq) => {
      const at = (1_900_000_000_000 + seq).toString(36)
      return seq === 0 ? `id: 1.${at}` : `id: 1.${at}.thr_a~${seq.toString(36)}~${at}`
    }),
  )
})

test('a feed that was closed takes nothing more', () => {
  const { feed, reader, closed } = openFeedByHand()
  feed.close()
  feed.close()
  expect(reader.deliver({ threadId, entries: [chatAt(1, 'late')] })).toBe(false)
  expect(closed).toEqual([feed])
})

test('a reader that goes away ends its feed', async () => {
  const { feed, closed } = openFeedByHand()
  await feed.stream.cancel()
  expect(closed).toEqual([feed])
})
