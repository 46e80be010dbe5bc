import { type FeedEvent, followFeed, toThreadId } from '@arbe/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatAt, openFeedByHand } from '../../../../test/support/feed-by-hand.ts'
import { BEAT, encodeEvent } from './live-feed.ts'

const threadId = toThreadId('thr_a')

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\u2028',
      '\0',
      '\ufeff',
      ':',
      'data: ',
      'id: 7\n',
      '🦊',
      'é',
    ),
  }),
)
const sent = fc.record({ kind: fc.constantFrom('entry', 'entry', 'typing', 'beat'), text })

test('[P-4] what a feed writes is what its reader reads, wherever the bytes are parted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
      async (all, sizes) => {
        const { feed, reader } = openFeedByHand()
        const events: FeedEvent[] = []
        for (const [index, { kind, text: said }] of all.entries()) {
          if (kind === 'beat') {
            feed.send(BEAT)
            continue
          }
          const entry = chatAt(index + 1, said)
          const event: FeedEvent =
            kind === 'entry' ? { type: 'entry', entry } : { type: 'typing', threadId, person: said }
          if (kind === 'entry') reader.deliver({ threadId, entries: [entry] })
          else feed.sendPassing(encodeEvent(event))
          events.push(event)
        }
        feed.close()
        const bytes = new Uint8Array(await new Response(feed.stream).arrayBuffer())
        expect(await read(parted(bytes, sizes))).toEqual(events)
      },
    ),
    { numRuns: 400 },
  )
})

/** Until the connection has ended. */
async function read(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly FeedEvent[]> {
  const ended = new AbortController()
  const events: FeedEvent[] = []
  const feed = followFeed({
    signal: ended.signal,
    open: async () => new Response(streamOf(chunks)),
    pause: async () => ended.abort(),
  })
  for await (const event of feed) events.push(event)
  return events
}

function streamOf(
  chunks: readonly Uint8Array<ArrayBuffer>[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

function parted(
  bytes: Uint8Array<ArrayBuffer>,
  sizes: readonly number[],
): readonly Uint8Array<ArrayBuffer>[] {
  let at = 0
  const parts = sizes.map((size) => bytes.slice(at, (at += size)))
  return [...parts, bytes.slice(at)].filter(({ length }) => length > 0)
}
