import { afterAll, expect, test } from 'vitest'
import { type Entry, followFeed } from '@arbe/sdk'
import type { FeedEvent } from '@arbe/sdk/api'
import { type Visitor, openHttpHouse, signIn } from '../../../../test/support/http-house.ts'

const house = await openHttpHouse()
const mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
const { body: invitation } = await mia.call('POST', '/v1/invitations', {})
const ben = await signIn(house, invitation.url, 'Ben')
afterAll(() => house.close())

async function newThread(people: readonly string[] = [ben.id]): Promise<string> {
  const { status, body } = await mia.call('POST', '/v1/threads', { title: 'T', people })
  expect([status, house.errors]).toEqual([201, []])
  return body.id
}

const say = (who: Visitor, threadId: string, text: string) =>
  who.call('POST', `/v1/threads/${threadId}/entries`, { kind: 'chat', text })

const entriesOf = async (who: Visitor, threadId: string): Promise<readonly Entry[]> =>
  (await who.call('GET', `/v1/threads/${threadId}/entries?after=0&limit=500`)).body.entries

interface Reading {
  readonly entries: Entry[]
  readonly events: FeedEvent[]
  /** Resolves when what has come fulfils the condition. */
  until(condition: () => boolean): Promise<void>
  stop(): void
}

/** Follows the feed as a client does, over connections that `cut` may end after any number of bytes. */
async function follow(who: Visitor, cut: () => number = () => Infinity): Promise<Reading> {
  const control = new AbortController()
  const live = Promise.withResolvers<void>()
  const entries: Entry[] = []
  const events: FeedEvent[] = []
  let changed = Promise.withResolvers<void>()
  const feed = followFeed({
    signal: control.signal,
    onStatus: (status) => status === 'live' && live.resolve(),
    pause: async () => {},
    open: async (headers, signal) =>
      cutAfter(
        cut(),
        await fetch(`${house.www.url}/v1/feed`, {
          headers: { authorization: `Bearer ${who.token}`, ...headers },
          signal,
        }),
      ),
  })
  const done = (async () => {
    for await (const event of feed) {
      events.push(event)
      if (event.type === 'entry') entries.push(event.entry)
      changed.resolve()
      changed = Promise.withResolvers()
    }
  })()
  done.catch(() => undefined)
  await live.promise
  return {
    entries,
    events,
    async until(condition) {
      while (!condition()) await changed.promise
    },
    stop: () => control.abort(),
  }
}

function cutAfter(bytes: number, response: Response): Response {
  let left = bytes
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.byteLength
        if (left <= 0) controller.error(new Error('cut'))
      },
    }),
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('[R-48] a feed whose connection is cut anywhere loses and doubles nothing', async () => {
  const threads = [await newThread(), await newThread(), await newThread()]
  const random = numbers(7)
  const before = await Promise.all(threads.map((id) => entriesOf(mia, id)))
  const reading = await follow(mia, () => 500 + Math.floor(random() * 12_000))
  const writers = [mia, ben].map(async (who) => {
    for (let n = 0; n < 60; n += 1)
      await say(who, threads[Math.floor(random() * 3)] ?? '', `${n} ${'x'.repeat(n * 5)}`)
  })
  await Promise.all(writers)
  await reading.until(() => reading.entries.length >= 120)
  reading.stop()

  const after = await Promise.all(threads.map((id) => entriesOf(mia, id)))
  const folded = threads.map((id, index) => [
    ...(before[index] ?? []),
    ...reading.entries.filter((entry) => entry.threadId === id),
  ])
  expect(folded).toEqual(after)
})

test('a feed that was away for longer than its window goes on where it stood', async () => {
  const [quiet, busy] = [await newThread(), await newThread()]
  const response = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${mia.token}` },
  })
  const cursor = await firstId(response)
  await say(ben, busy, 'one')
  await say(ben, quiet, 'two')
  // As if the reader had left two hours ago, and both threads were older still.
  await house.db.query(`update entries set created_at = created_at - interval '1 hour'`)
  await house.db.query(`update threads set last_at = last_at - interval '1 hour'`)
  const old = cursor.replace(
    /^1\.([0-9a-z]+).*/,
    (_, at: string) => `1.${(Number.parseInt(at, 36) - 2 * 3_600_000).toString(36)}`,
  )
  const all = [...(await entriesOf(mia, quiet)), ...(await entriesOf(mia, busy))]
  const again = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${mia.token}`, 'last-event-id': old },
  })
  const ofThese = (entries: readonly Entry[]) =>
    entries.filter(({ threadId }) => threadId === quiet || threadId === busy)
  const got = await readEntries(again, (entries) => ofThese(entries).length >= all.length)
  const byPlace = (a: Entry, b: Entry) => a.threadId.localeCompare(b.threadId) || a.seq - b.seq
  expect(ofThese(got).toSorted(byPlace)).toEqual(all.toSorted(byPlace))
})

test('who joins a thread hears of it from the entry that says so, and who leaves hears no more', async () => {
  const threadId = await newThread([])
  const reading = await follow(ben)
  await say(mia, threadId, 'before')
  await mia.call('PATCH', `/v1/threads/${threadId}`, { addPeople: [ben.id] })
  await say(mia, threadId, 'hello Ben')
  await reading.until(() => reading.entries.length >= 2)
  await mia.call('PATCH', `/v1/threads/${threadId}`, { removePeople: [ben.id] })
  await say(mia, threadId, 'without Ben')
  const other = await newThread()
  await say(mia, other, 'end')
  await reading.until(() =>
    reading.entries.some(({ body }) => 'text' in body && body.text === 'end'),
  )
  reading.stop()
  const heard = reading.entries.filter((entry) => entry.threadId === threadId)
  expect(heard.map(({ kind }) => kind)).toEqual(['thread.people', 'chat', 'thread.people'])
})

test('who was out of a thread and came back misses nothing of it', async () => {
  const threadId = await newThread()
  const cursor = await firstId(
    await fetch(`${house.www.url}/v1/feed`, { headers: { authorization: `Bearer ${ben.token}` } }),
  )
  await mia.call('PATCH', `/v1/threads/${threadId}`, { removePeople: [ben.id] })
  await say(mia, threadId, 'meanwhile')
  await mia.call('PATCH', `/v1/threads/${threadId}`, { addPeople: [ben.id] })
  await say(mia, threadId, 'welcome back')
  // As if all of it were long ago: no look for recent joins finds it.
  await house.db.query(`update entries set created_at = created_at - interval '40 seconds'`)
  const again = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${ben.token}`, 'last-event-id': cursor },
  })
  const got = await readEntries(again, (entries) => entries.length >= 4)
  expect(got).toEqual((await entriesOf(ben, threadId)).slice(2))
})

test('[S-07] a feed ends within seconds when its token does, or its reader’s role', async () => {
  const { body: token } = await ben.call('POST', '/v1/tokens', { label: 'tail' })
  const feed = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${token.token}` },
  })
  const session = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${ben.token}` },
  })
  const start = performance.now()
  await ben.call('DELETE', `/v1/tokens/${token.id}`)
  await feed.text()
  await mia.call('PATCH', `/v1/members/${ben.id}`, { role: 'guest' })
  await session.text()
  expect(performance.now() - start).toBeLessThan(10_000)
  await mia.call('PATCH', `/v1/members/${ben.id}`, { role: 'member' })
})

test('who types is shown to who is in the thread, and nobody else', async () => {
  const [shared, alone] = [await newThread(), await newThread([])]
  const reading = await follow(ben)
  await mia.call('POST', `/v1/threads/${alone}/typing`, {})
  await mia.call('POST', `/v1/threads/${shared}/typing`, {})
  await reading.until(() => reading.events.length > 0)
  reading.stop()
  expect(reading.events).toEqual([{ type: 'typing', threadId: shared, person: mia.id }])
})

test('[S-02] a cursor that names a thread of others opens nothing of it', async () => {
  const foreign = await newThread([])
  await say(mia, foreign, 'secret')
  const cursor = `1.${Date.now().toString(36)}.${foreign}~0~0`
  const feed = await fetch(`${house.www.url}/v1/feed?cursor=${cursor}`, {
    headers: { authorization: `Bearer ${ben.token}` },
  })
  const shared = await newThread()
  await say(mia, shared, 'end')
  const got = await readEntries(feed, (entries) => entries.some(({ kind }) => kind === 'chat'))
  expect(got.filter(({ threadId }) => threadId === foreign)).toEqual([])
})

test('a reader that missed more than a feed makes good is told to start anew', async () => {
  const cursor = await firstId(
    await fetch(`${house.www.url}/v1/feed`, { headers: { authorization: `Bearer ${mia.token}` } }),
  )
  const threads = await Promise.all(Array.from({ length: 101 }, () => newThread()))
  const again = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${mia.token}`, 'last-event-id': cursor },
  })
  await say(mia, threads[0] ?? '', 'after that')
  let text = ''
  const got = await readEntries(
    again,
    (entries) => entries.length > 0,
    (seen) => (text = seen),
  )
  expect(text).toMatch(/^id: \S+\ndata:\n\ndata: \{"type":"reset"\}\n\nid: /)
  expect(got.map(({ body }) => 'text' in body && body.text)).toEqual(['after that'])
})

test('what is no cursor is refused', async () => {
  for (const cursor of ['nonsense', '1.zz.thr_x~1', '1.0.thr_a~1~1\u00e9']) {
    const { status, body } = await mia.call('GET', `/v1/feed?cursor=${encodeURIComponent(cursor)}`)
    expect([status, body.code]).toEqual([400, 'invalid_body'])
  }
})

async function firstId(response: Response): Promise<string> {
  for await (const chunk of response.body ?? []) {
    const id = /^id: (.+)$/m.exec(new TextDecoder().decode(chunk))?.[1]
    if (id !== undefined) return id
  }
  throw new Error('the feed ended without an id')
}

async function readEntries(
  response: Response,
  enough: (entries: readonly Entry[]) => boolean,
  onText: (text: string) => void = () => {},
): Promise<readonly Entry[]> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const entries = text
      .slice(0, text.lastIndexOf('\n\n') + 1)
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line): FeedEvent => JSON.parse(line.slice('data: '.length)))
      .flatMap((event) => (event.type === 'entry' ? [event.entry] : []))
    onText(text)
    if (enough(entries)) return entries
  }
  throw new Error('the feed ended')
}
