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
