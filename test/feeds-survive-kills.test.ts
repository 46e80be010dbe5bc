import { followFeed, type Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { createClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { inLanes } from './support/kill-ground.ts'
import { createDatabase } from './support/postgres.ts'
import { freePort } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { type RunningArbe, startArbe } from './support/run-arbe.ts'
import { signIn } from './support/sign-in.ts'

const FEEDS = Number(process.env['ARBE_FEEDS'] ?? 150)
/** One reader has at most fifty open. */
const FEEDS_A_PERSON = 40
const KILLS = 5
const MESSAGES = 300
const WRITERS = 6

describe.skipIf(requireOrSkip('postgres'))('a page server that is killed again and again', () => {
  test(
    '[R-48][I5][I6] every live feed ends up with the log, no gap and nothing twice, and a slow reader holds nobody up',
    { timeout: 600_000 },
    async () => {
      await using house = await startHouse(Math.ceil(FEEDS / FEEDS_A_PERSON))
      const [owner] = house.tokens
      const client = createClient({ baseUrl: house.url, token: owner ?? '' })
      const people = (await client.people()).people.map(({ id }) => id)
      const threads: string[] = []
      for (const title of ['one', 'two', 'three'])
        threads.push((await client.threads.create({ title, people, bots: [] })).id)
      const from = await headsOf(client, threads)

      const feeds = await Promise.all(
        Array.from({ length: FEEDS }, (_, n) => openFeed(house, n, threads)),
      )
      await inLanes(
        WRITERS,
        Array.from({ length: MESSAGES }, (_, n) => n),
        async (n) => {
          if (n % Math.floor(MESSAGES / KILLS) === 20) void house.restart()
          await say(house, threads[n % threads.length] ?? '', `${n}`)
        },
      )
      await house.isUp()
      const slow = await standStill(house)
      await say(house, threads[0] ?? '', 'meanwhile')

      const logs = new Map<string, readonly string[]>()
      for (const id of threads) logs.set(id, (await logOf(client, id)).slice(from.get(id)))
      expect([...logs.values()].flat().length).toBe(MESSAGES + 1)
      for (const feed of feeds) {
        await feed.has(MESSAGES + 1)
        feed.stop()
        expect([feed.resets(), feed.seen]).toEqual([0, logs])
      }
      expect(house.kills()).toBe(KILLS)
      // It is told off, and finds everything behind the place where it was.
      expect(await slow.readOn()).toEqual(await slow.log())
      console.log(`${feeds.reduce((sum, { connections }) => sum + connections(), 0)} connections`)
    },
  )
})

type House = Awaited<ReturnType<typeof startHouse>>

/** One page server on a port that it keeps, and people who are signed in. */
async function startHouse(count: number) {
  await using starting = new AsyncDisposableStack()
  const made = await createDatabase()
  starting.defer(() => made.drop())
  const home = await mkdtemp(`${tmpdir()}/arbe-feeds-`)
  starting.defer(() => rm(home, { recursive: true, force: true }))
  const env = { HOME: home, DATABASE_URL: made.url, ARBE_CHANGES_PER_SECOND: '1000' }
  const port = await freePort()
  let running: RunningArbe
  let kills = 0
  const start = async (): Promise<{ readonly url: string; readonly ownerLink: string }> => {
    running = startArbe(['www', '--port', `${port}`, '--json'], env)
    return JSON.parse(await running.stdoutWith('\n'))
  }
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  const { url, ownerLink } = await start()
  starting.defer(kill)
  const { client, token } = await signIn(ownerLink, 'P0')
  const tokens = [token]
  while (tokens.length < count)
    tokens.push((await signIn((await client.invite()).url, `P${tokens.length}`)).token)
  let up: Promise<unknown> = Promise.resolve()
  const disposing = starting.move()
  return {
    url,
    tokens,
    kills: () => kills,
    isUp: () => up,
    /** Killed, and started on the same port. */
    restart() {
      kills += 1
      up = up.then(kill).then(start)
      return up
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  }
}

/** As a client that tries again under one key until it has an answer. */
async function say({ url, tokens }: House, threadId: string, text: string): Promise<void> {
  const client = createClient({ baseUrl: url, token: tokens[0] ?? '' })
  for (;;) {
    try {
      await client.threads.append(threadId, { kind: 'chat', text }, `key-${text}`)
      return
    } catch (error) {
      // There is no server for the moment.
      if (!(error instanceof TypeError)) throw error
      await setTimeout(50)
    }
  }
}

const shown = ({ seq, body }: Entry): string => `${seq} ${'text' in body ? body.text : ''}`

async function logOf(client: ArbeClient, threadId: string): Promise<readonly string[]> {
  const all: string[] = []
  for (let more = true; more;) {
    const page = await client.threads.entries(threadId, { after: all.length, limit: 200 })
    all.push(...page.entries.map(shown))
    more = page.more
  }
  return all
}

async function headsOf(client: ArbeClient, threads: readonly string[]) {
  const heads = new Map<string, number>()
  for (const id of threads) heads.set(id, (await logOf(client, id)).length)
  return heads
}

/** A reader whose connection breaks after any number of bytes, over and over; it is live when this returns. */
async function openFeed({ url, tokens }: House, number: number, threads: readonly string[]) {
  const seen = new Map<string, string[]>(threads.map((id) => [id, []]))
  const control = new AbortController()
  const live = Promise.withResolvers<void>()
  const random = numbersFrom(number)
  let connections = 0
  let resets = 0
  const got = { entries: 0 }
  let news = Promise.withResolvers<void>()
  const feed = followFeed({
    signal: control.signal,
    pause: (_, signal) =>
      setTimeout(20 + random() * 200, undefined, { signal }).catch(() => undefined),
    onStatus: (status) => status === 'live' && live.resolve(),
    async open(headers, signal) {
      connections += 1
      const authorization = `Bearer ${tokens[Math.floor(number / FEEDS_A_PERSON)] ?? ''}`
      const response = await fetch(`${url}/v1/feed`, {
        headers: { authorization, ...headers },
        signal,
      })
      return cutAfter(10_000 + random() * 200_000, response)
    },
  })
  const reading = (async () => {
    for await (const event of feed) {
      if (event.type === 'reset') resets += 1
      if (event.type !== 'entry') continue
      seen.get(event.entry.threadId)?.push(shown(event.entry))
      got.entries += 1
      news.resolve()
      news = Promise.withResolvers()
    }
  })()
  await live.promise
  return {
    seen,
    connections: () => connections,
    resets: () => resets,
    stop: () => control.abort(),
    async has(wanted: number) {
      while (got.entries < wanted) await Promise.race([news.promise, reading])
    },
  }
}

function cutAfter(bytes: number, response: Response): Response {
  let left = bytes
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.byteLength
        if (left <= 0) controller.error(new Error('cut'))
      },
    }),
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Somebody in a busy thread of their own who opens a feed and reads none of it until the server has given them up. */
async function standStill(house: House) {
  const client = createClient({ baseUrl: house.url, token: house.tokens[0] ?? '' })
  const { token } = await signIn((await client.invite()).url, 'Slow')
  const slow = createClient({ baseUrl: house.url, token })
  const { id } = await slow.threads.create({ title: 'busy', people: [], bots: [] })
  const head = (await logOf(slow, id)).length
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${house.url}/v1/feed`, { headers })
  // More than what the machine keeps for a connection, and the mebibyte that the server keeps.
  for (let n = 0; n < 230; n += 1)
    await slow.threads.append(id, { kind: 'chat', text: `${n} ${'and so on\n'.repeat(6_000)}` })
  const log = async () => (await logOf(slow, id)).slice(head)
  return {
    log,
    async readOn() {
      const all: string[] = []
      const wanted = (await log()).length
      let opened = 0
      const control = new AbortController()
      const feed = followFeed({
        signal: control.signal,
        async open(more, signal) {
          opened += 1
          if (opened === 1) return response
          return await fetch(`${house.url}/v1/feed`, { headers: { ...headers, ...more }, signal })
        },
      })
      for await (const event of feed) {
        if (event.type === 'entry') all.push(shown(event.entry))
        if (all.length >= wanted) break
      }
      control.abort()
      // The first connection was closed before it had everything.
      expect(opened).toBeGreaterThan(1)
      return all
    },
  }
}

/** The same numbers in every run. */
function numbersFrom(seed: number): () => number {
  let state = (seed + 1) * 7_919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
