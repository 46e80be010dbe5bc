import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { storyteller } from '../../test/support/entries.ts'
import { ApiError, createClient } from './client.ts'
import type { Entry } from './entries.ts'
import { FeedRefused } from './live-feed.ts'
import { tailThread } from './tail-thread.ts'

/** A house of one thread, as its API answers. */
function fakeHouse(length: number) {
  const story = storyteller()
  const say = (): Entry => story.add('chat', 'mia', { text: 'ü👍' })
  const log = Array.from({ length }, say)
  const feeds = new Set<WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>>()
  const encoder = new TextEncoder()
  const tell = (text: string): void => {
    for (const feed of feeds) feed.write(encoder.encode(text)).catch(() => undefined)
  }
  const house = {
    log,
    reads: 0,
    /** What the next reads answer instead of a page. */
    troubles: [] as (() => Response)[],
    feedStatus: 200,
    pageSize: 200,
    append(threadId = 'thr_1') {
      if (threadId === 'thr_1') log.push(say())
      const entry = { ...log.at(-1), threadId }
      tell(`id: ${log.length}\ndata: ${JSON.stringify({ type: 'entry', entry })}\n\n`)
    },
    tell,
    cutFeeds() {
      for (const feed of feeds) feed.abort(new TypeError('terminated')).catch(() => undefined)
      feeds.clear()
    },
    feeds,
  }
  const answer = async (url: URL, signal: AbortSignal | null | undefined): Promise<Response> => {
    if (url.pathname === '/v1/feed') {
      if (house.feedStatus !== 200) return new Response(null, { status: house.feedStatus })
      const { readable, writable } = new TransformStream<
        Uint8Array<ArrayBuffer>,
        Uint8Array<ArrayBuffer>
      >()
      const feed = writable.getWriter()
      feeds.add(feed)
      signal?.addEventListener('abort', () => {
        feeds.delete(feed)
        feed.abort(signal.reason).catch(() => undefined)
      })
      feed.closed.catch(() => undefined)
      return new Response(readable)
    }
    house.reads += 1
    const trouble = house.troubles.shift()
    if (trouble !== undefined) return trouble()
    const after = Number(url.searchParams.get('after'))
    const rest = log.slice(after)
    return Response.json({
      entries: rest.slice(0, house.pageSize),
      more: rest.length > house.pageSize,
    })
  }
  const client = createClient({
    baseUrl: 'http://house',
    fetch: (input, init) => answer(new URL(new Request(input).url), init?.signal),
  })
  return { house, client }
}

async function take(tail: AsyncGenerator<Entry, void>, count: number): Promise<readonly number[]> {
  const seqs: number[] = []
  while (seqs.length < count) {
    const { value } = await tail.next()
    if (value === undefined) throw new Error('the tail ended')
    seqs.push(value.seq)
  }
  return seqs
}

const upTo = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const untilAborted = () => ({ signal: new AbortController().signal })

afterEach(() => void vi.useRealTimers())

test('it gives what is there behind its position, page by page, and then what comes', async () => {
  const { house, client } = fakeHouse(5)
  house.pageSize = 2
  const tail = tailThread(client, 'thr_1', { after: 1, ...untilAborted() })
  expect(await take(tail, 4)).toEqual([2, 3, 4, 5])
  const next = take(tail, 2)
  house.append()
  house.append()
  expect(await next).toEqual([6, 7])
  await tail.return()
  expect(house.feeds.size).toBe(0)
})

test('what is said elsewhere reads nothing', async () => {
  const { house, client } = fakeHouse(1)
  const tail = tailThread(client, 'thr_1', { after: 0, ...untilAborted() })
  await take(tail, 1)
  const next = take(tail, 1)
  await vi.waitFor(() => expect(house.feeds.size).toBe(1))
  // The feed's beginning rings once; what is read for it comes before the next look.
  await vi.waitFor(() => expect(house.reads).toBe(2))
  house.append('thr_other')
  house.append()
  await next
  expect(house.reads).toBe(3)
  await tail.return()
})

test('nothing is lost or doubled over cut feeds, failed reads and resets', async () => {
  const step = fc.constantFrom('append', 'append', 'cut', 'away', 'busy', 'reset')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(6),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step),
      async (there, pageSize, steps) => {
        vi.useFakeTimers()
        const { house, client } = fakeHouse(there)
        house.pageSize = pageSize
        const tail = tailThread(client, 'thr_1', { after: 0, ...untilAborted() })
        const length = there + steps.filter((one) => one === 'append').length
        const taken = take(tail, length)
        await vi.advanceTimersByTimeAsync(1)
        for (const one of steps) {
          if (one === 'append') house.append()
          if (one === 'cut') house.cutFeeds()
          if (one === 'away')
            house.troubles.push(() => {
              throw new TypeError('fetch failed')
            })
          if (one === 'busy') house.troubles.push(() => new Response(null, { status: 503 }))
          if (one === 'reset') house.tell('data: {"type":"reset"}\n\n')
          await vi.advanceTimersByTimeAsync(1)
        }
        await vi.advanceTimersByTimeAsync(60_000)
        expect(await taken).toEqual(upTo(1, length))
        await tail.return()
      },
    ),
    { numRuns: 100 },
  )
})

test('a house that does not answer the first time is told of at once', async () => {
  const { house, client } = fakeHouse(1)
  house.troubles.push(() => new Response(null, { status: 503 }))
  const tail = tailThread(client, 'thr_1', { after: 0, ...untilAborted() })
  await expect(tail.next()).rejects.toBeInstanceOf(ApiError)
})

test('a thread that one has to leave ends its tail with the refusal', async () => {
  const { house, client } = fakeHouse(1)
  const tail = tailThread(client, 'thr_1', { after: 0, ...untilAborted() })
  await take(tail, 1)
  house.troubles.push(
    () => new Response(null, { status: 404 }),
    () => new Response(null, { status: 404 }),
  )
  const next = tail.next()
  house.append()
  await expect(next).rejects.toMatchObject({ status: 404 })
})

test('a token that ends while it follows ends the tail', async () => {
  const { house, client } = fakeHouse(1)
  house.feedStatus = 401
  const tail = tailThread(client, 'thr_1', { after: 0, ...untilAborted() })
  await take(tail, 1)
  await expect(tail.next()).rejects.toEqual(new FeedRefused(401))
})

test('it ends with its signal, also while it waits', async () => {
  const { client } = fakeHouse(1)
  const control = new AbortController()
  const tail = tailThread(client, 'thr_1', { after: 0, signal: control.signal })
  await take(tail, 1)
  const next = tail.next()
  control.abort()
  expect(await next).toEqual({ done: true, value: undefined })
})
