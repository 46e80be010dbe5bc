import { createClient, type FeedEvent } from '@arbe/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenThread } from '../apps/www/src/client/house/house-state.ts'
import { HouseStore } from '../apps/www/src/client/house/house-store.ts'
import type { ThreadItem, TurnPart } from '../apps/www/src/client/thread/thread-item.ts'
import { viewThread } from '../apps/www/src/client/thread/thread-view.ts'
import { launchChromium } from './support/chromium.ts'
import { PATIENCE, quiet, say } from './support/house-guest.ts'
import { memoryStorage } from './support/memory-storage.ts'
import { entriesAtRest, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts'
import { requireOrSkip } from './support/require.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

const TEXT = 'alpha bravo charlie delta echo foxtrot.'

const closing = new AsyncDisposableStack()
let provider: ScriptedProvider
let house: OpenHouse
let relay: TcpProxy
let bots: string[]

beforeAll(async () => {
  provider = closing.use(await startScriptedProvider(() => ({ text: TEXT })))
  const env = providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl })
  house = closing.use(await openHouse(env))
  relay = closing.use(await startTcpProxy(Number(new URL(house.url).port)))
  bots = (await house.owner.bots.list()).bots.map(({ id }) => id)
})
afterAll(() => closing.disposeAsync())
beforeEach(() => relay.become('open'))

test('[F2] a feed cut in the middle of an answer shows its text once, and goes on where it stood', async () => {
  const { id } = await house.owner.threads.create({ title: '', people: [], bots })
  const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holds = new Map([
    [2, away.promise],
    [4, back.promise],
  ])
  provider.use(() => ({ text: TEXT, beforeWord: (place) => holds.get(place) }))
  await using witness = await watch(house.url, id)
  await using reader = await watch(relay.url, id)
  await house.owner.threads.append(id, { kind: 'chat', text: '@ada tell me' })
  await reader.until(() => reader.shown().endsWith('bravo '))

  relay.become('shut')
  await reader.until(() => reader.store.getState().feed !== 'live')
  away.resolve()
  await witness.until(() => witness.shown().endsWith('delta '))
  const { seq } = await house.owner.threads.append(id, { kind: 'chat', text: 'thanks' })
  relay.become('open')
  await reader.until(() => reader.store.getState().feed === 'live')
  back.resolve()

  const entries = await entriesAtRest(house.owner, id, { turns: 1, seq })
  for (const one of [witness, reader]) {
    await one.until(() => one.open().log.entries.length === entries.length)
    expect(one.history().filter((shown) => !TEXT.startsWith(shown))).toEqual([])
    expect(one.shown()).toBe(TEXT)
    expect(one.open().log.entries).toEqual(entries)
    const told = one.events.flatMap((event) => (event.type === 'entry' ? [event.entry.seq] : []))
    expect(told).toEqual([...new Set(told)])
  }
  expect(reader.resumedAt).toEqual([undefined, expect.any(String), ...reader.resumedAt.slice(2)])
})

test('[F2] an answer that ended while the feed was cut is there once', async () => {
  const { id } = await house.owner.threads.create({ title: '', people: [], bots })
  const away = Promise.withResolvers<void>()
  provider.use(() => ({
    text: TEXT,
    beforeWord: (place) => (place === 3 ? away.promise : undefined),
  }))
  await using witness = await watch(house.url, id)
  await using reader = await watch(relay.url, id)
  await house.owner.threads.append(id, { kind: 'chat', text: '@ada tell me' })
  await reader.until(() => reader.shown().endsWith('charlie '))
  relay.become('shut')
  away.resolve()
  await witness.until(() => witness.isOver())
  relay.become('open')
  await reader.until(() => reader.isOver())
  expect(reader.history().filter((shown) => !TEXT.startsWith(shown))).toEqual([])
  expect(reader.shown()).toBe(TEXT)
})

test('[F2] a quick answer, whose pieces come later than its entry, is shown once', async () => {
  const { id } = await house.owner.threads.create({ title: '', people: [], bots })
  provider.use(() => ({ text: TEXT }))
  await using reader = await watch(house.url, id)
  for (let turns = 1; turns <= 3; turns += 1) {
    const { seq } = await house.owner.threads.append(id, { kind: 'chat', text: '@ada tell me' })
    await entriesAtRest(house.owner, id, { turns, seq })
    // What comes by the feed after this came after all pieces.
    await house.owner.threads.typing(id)
    await reader.until(() => reader.open().typing.size > 0)
    const said = Array.from({ length: turns }, () => TEXT).join(' | ')
    expect(reader.history().filter((shown) => !said.startsWith(shown))).toEqual([])
    expect(reader.shown()).toBe(said)
  }
})

test.skipIf(requireOrSkip('chromium'))(
  '[F2] a browser that is cut off in the middle of an answer shows one block, and then the whole of it',
  async () => {
    const { id } = await house.owner.threads.create({ title: '', people: [], bots })
    const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holds = new Map([
      [2, away.promise],
      [4, back.promise],
    ])
    provider.use(() => ({ text: TEXT, beforeWord: (place) => holds.get(place) }))
    await using witness = await watch(house.url, id)
    await using closers = new AsyncDisposableStack()
    const browser = await launchChromium()
    closers.defer(() => browser.close())
    const context = await browser.newContext()
    await context.addCookies([
      { name: 'arbe_session', value: house.ownerToken, url: relay.url, httpOnly: true },
    ])
    const page = await context.newPage()
    await page.goto(`${relay.url}/t/${id}`)
    await say(page, '@ada tell me')
    const block = page.getByRole('article', { name: 'Ada' })
    await block.getByText('alpha bravo').waitFor({ timeout: PATIENCE })

    relay.become('shut')
    away.resolve()
    await witness.until(() => witness.shown().endsWith('delta '))
    relay.become('open')
    await page.waitForResponse((response) => response.url().endsWith('/state'))
    expect(await block.getByText(/alpha/).allInnerTexts()).toEqual(['alpha bravo'])
    back.resolve()
    await block.getByText(TEXT).waitFor({ timeout: PATIENCE })
    await quiet(page)
    expect(await page.getByRole('log').getByText(/alpha/).allInnerTexts()).toEqual([TEXT])
  },
)

test('nothing broke behind all this', () => {
  expect(house.errors).toEqual([])
})

/** What somebody sees of one thread whose page follows the house over that address. */
async function watch(baseUrl: string, id: string) {
  const resumedAt: (string | undefined)[] = []
  const client = createClient({
    baseUrl,
    token: house.ownerToken,
    fetch: (input, init) => {
      if (input === `${baseUrl}/v1/feed`)
        resumedAt.push(new Headers(init?.headers).get('last-event-id') ?? undefined)
      return fetch(input, init)
    },
  })
  const store = new HouseStore(client, memoryStorage())
  await store.openThread(id)
  const ended = new AbortController()
  const events: FeedEvent[] = []
  const history: string[] = []
  const open = (): OpenThread => {
    const thread = store.getState().open.get(id)
    if (thread === undefined) throw new Error('the thread is open')
    return thread
  }
  const shown = (): string => blocksOf(open()).join(' | ')
  store.subscribe(() => history.push(shown()))
  const reading = read()
  const watched = {
    store,
    events,
    resumedAt,
    open,
    shown,
    history: () => history,
    isOver: () => open().log.entries.at(-1)?.kind === 'signal.thread_director.outcome',
    until: (isTrue: () => boolean) => until(store, isTrue),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await reading
    },
  }
  await watched.until(() => store.getState().feed === 'live')
  return watched

  async function read(): Promise<void> {
    for await (const event of client.feed({ signal: ended.signal, onStatus: store.onFeedStatus })) {
      events.push(event)
      store.take(event)
    }
  }
}

async function until(store: HouseStore, isTrue: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (): void => {
    if (isTrue()) resolve()
  }
  const forget = store.subscribe(look)
  look()
  await promise
  forget()
}

/** What stands of the bot's words on the page, a text a block. */
function blocksOf({ log, live, state }: OpenThread): readonly string[] {
  const streamed = state.status === 'speaking' && live !== undefined ? [live.text] : []
  const stored = viewThread(log.entries).items.flatMap(textsOf)
  return [...stored, ...streamed].filter((text) => text !== '')
}

function textsOf(item: ThreadItem): readonly string[] {
  return item.type === 'turn' ? item.parts.map((part: TurnPart) => part.text) : []
}
