import type { Entry } from '@arbe/sdk'
import { createClient } from '@arbe/sdk/client'
import { tailThread } from '@arbe/sdk/tail-thread'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { bot, directorTrace } from './support/director-trace.ts'
import { embeddedGround, type KillGround, reportOf, serverGround } from './support/kill-ground.ts'
import {
  entriesAtRest,
  entriesUntil,
  type OpenHouse,
  openHouse,
  providerEnv,
} from './support/open-house.ts'
import { requireOrSkip } from './support/require.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedProvider,
} from './support/scripted-provider.ts'

// Real turns of a real house, whose provider never says anything that would end a loop by itself.

let provider: ScriptedProvider
let house: OpenHouse
const ids = new Map<string, string>()
const TOOLS = ['create_thread', 'post_message']
const NAMES = ['Kim', 'Lou', 'Max', 'Nia']

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({}))
  house = await openHouse(providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }))
  for (const name of NAMES) {
    const bot = { name, prompt: `speak as ${name}`, toolsAllow: TOOLS }
    ids.set(name, (await house.owner.bots.create(bot)).id)
  }
})

afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

let before = 0
beforeEach(() => {
  before = provider.calls
})
const calls = (): number => provider.calls - before

/** What each speaker does in its turn; a paid decision picks the one named. */
function play(
  speak: (name: string, request: ScriptedRequest) => ScriptedReply,
  pick = 'Kim',
): void {
  provider.use((request) => {
    const candidate = new RegExp(`"id":"(c\\d+)","name":"${pick}"`).exec(request.text)?.[1]
    if (request.tools.includes('decide'))
      return { toolCalls: [{ name: 'decide', args: { pick: candidate, reason: 'its turn' } }] }
    const name = NAMES.find((one) => request.text.includes(`speak as ${one}`)) ?? 'nobody'
    return speak(name, request)
  })
}

const idOf = (name: string): string => ids.get(name) ?? ''
const nameOf = (id: string | null): string =>
  NAMES.find((name) => idOf(name) === id) ?? (id === null ? 'nobody' : 'a stranger')

const openThread = async (bots: readonly string[]): Promise<string> =>
  (await house.owner.threads.create({ bots: bots.map(idOf) })).id
const say = (id: string, text: string) => house.owner.threads.append(id, { kind: 'chat', text })
const goOn = (id: string) => house.owner.threads.append(id, { kind: 'thread.continue' })

/** All entries up to the so many-th decision by a rule. */
function until(id: string, rule: string, nth = 1): Promise<readonly Entry[]> {
  let met = 0
  return entriesUntil(
    house.owner,
    id,
    ({ kind, body }) =>
      kind === 'signal.thread_director.decision' && body.rule === rule && (met += 1) === nth,
  )
}

const decisions = (entries: readonly Entry[]) =>
  entries.flatMap(({ kind, body }) => (kind === 'signal.thread_director.decision' ? [body] : []))
const speakers = (entries: readonly Entry[]): readonly string[] =>
  decisions(entries).flatMap(({ speaker }) => (speaker === null ? [] : [nameOf(speaker)]))
/** Every nobody that a person is told of as an end. */
const ends = (entries: readonly Entry[]): readonly (string | undefined)[] =>
  decisions(entries)
    .filter(({ speaker, rule }) => speaker === null && rule !== 'bot_spoke')
    .map(({ rule }) => rule)

const isLastRound = ({ body }: ScriptedRequest): boolean => {
  const messages = body['messages']
  return Array.isArray(messages) && messages.at(-1)?.role === 'tool'
}

test('[C2][I9] two bots told to answer each other for ever take three turns each, and three more by Continue', async () => {
  play((name) => ({ text: name === 'Kim' ? '@lou go on' : '@kim go on' }))
  const id = await openThread(['Kim', 'Lou'])
  await say(id, '@kim and @lou, answer each other for ever')
  const first = await until(id, 'turn_limit')
  // Both were asked, so the second turn of Kim and the first of Lou answer more than one request each.
  expect([speakers(first).length, calls()]).toEqual([6, 6])
  expect(speakers(first).filter((name) => name === 'Kim')).toHaveLength(3)
  await goOn(id)
  const second = await until(id, 'turn_limit', 2)
  expect([speakers(second).length, calls()]).toEqual([12, 12])
  expect(ends(second)).toEqual(['turn_limit', 'turn_limit'])
  expect(checkStream(second, { quiet: true })).toEqual([])
})

test('[R-39] two bots that answer everything and name each other stop at their limits, say so, and begin anew with a person', async () => {
  for (const name of ['Kim', 'Lou'])
    await house.owner.bots.edit(idOf(name), { triggerMode: 'always' })
  play((name) => ({ text: name === 'Kim' ? '@lou go on' : '@kim go on' }))
  const id = await openThread(['Kim', 'Lou'])
  await say(id, 'answer each other for ever')
  const first = await until(id, 'turn_limit')
  expect([speakers(first).length, ends(first)]).toEqual([6, ['turn_limit']])
  expect(
    decisions(first)
      .at(-1)
      ?.about.map(({ why }) => why),
  ).toContain('turn_limit')
  await say(id, 'and once more')
  const second = await until(id, 'turn_limit', 2)
  expect([speakers(second).length, ends(second)]).toEqual([12, ['turn_limit', 'turn_limit']])
  expect(checkStream(second, { quiet: true })).toEqual([])
  for (const name of ['Kim', 'Lou']) await house.owner.bots.edit(idOf(name), { triggerMode: null })
})

test('[C2][I9] four bots in a ring take the eight turns of a thread, and eight more by Continue', async () => {
  const next = new Map(NAMES.map((name, at) => [name, NAMES[(at + 1) % NAMES.length] ?? '']))
  play((name) => ({ text: `@${next.get(name)?.toLowerCase()} go on` }))
  const id = await openThread(NAMES)
  await say(id, '@kim begin')
  const first = await until(id, 'turn_limit')
  expect([speakers(first), calls()]).toEqual([[...NAMES, ...NAMES], 8])
  await goOn(id)
  const second = await until(id, 'turn_limit', 2)
  expect([speakers(second), calls()]).toEqual([[...NAMES, ...NAMES, ...NAMES, ...NAMES], 16])
  expect(ends(second)).toEqual(['turn_limit', 'turn_limit'])
  expect(checkStream(second, { quiet: true })).toEqual([])
})

/** Makes a thread for the other one, who does the same. */
function makesThreads(name: string, request: ScriptedRequest): ScriptedReply {
  if (isLastRound(request)) return { text: 'Done.' }
  const other = name === 'Kim' ? 'lou' : 'kim'
  const args = { title: 'On', bots: [other], text: `@${other} do the same` }
  return { toolCalls: [{ name: 'create_thread', args }] }
}

/** The thread that a turn made there, if it made one. */
const madeIn = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap(({ kind, body }) =>
    kind === 'pi.tool_result' ? (/thr_\w+/.exec(body.text) ?? []).slice(0, 1) : [],
  )

async function followMade(id: string): Promise<readonly (readonly Entry[])[]> {
  const threads: (readonly Entry[])[] = []
  for (let next: string | undefined = id; next !== undefined;) {
    const entries = await until(next, 'bot_spoke')
    threads.push(entries)
    next = madeIn(entries).at(-1)
  }
  return threads
}

test('[I9] a bot that makes a thread whose bot makes a thread stops at the fifth thread, and says so there', async () => {
  play(makesThreads)
  const others = (await house.owner.threads.list()).threads.length
  const id = await openThread(['Kim', 'Lou'])
  await say(id, '@kim make a thread whose bot makes a thread')
  const threads = await followMade(id)
  expect(threads.map(speakers)).toEqual([['Kim'], ['Lou'], ['Kim'], ['Lou'], ['Kim']])
  expect([calls(), (await house.owner.threads.list()).threads.length]).toEqual([10, others + 5])
  const refused = threads
    .flat()
    .filter(({ kind, body }) => kind === 'pi.tool_result' && body.isError)
  expect(refused.map(({ body }) => ('text' in body ? body.text : ''))).toEqual([
    'forbidden: Bots have made threads from threads too often here.',
  ])
  for (const entries of threads) expect(checkStream(entries, { quiet: true })).toEqual([])

  const last = threads.at(-1)?.[0]?.threadId ?? ''
  await goOn(last)
  const again = await until(last, 'bot_spoke', 2)
  const [made = ''] = madeIn(again)
  expect((await followMade(made)).map(speakers)).toEqual([['Lou'], ['Kim'], ['Lou'], ['Kim']])
})

test('[I9] two threads whose bots post into each other stop by hops, not by turns, and go on by Continue', async () => {
  const kims = await openThread(['Kim', 'Lou'])
  const lous = await openThread(['Kim', 'Lou'])
  const limits = { perBot: 50, perThread: 50 }
  for (const id of [kims, lous]) await house.owner.threads.edit(id, { limits })
  play((name, request) => {
    if (isLastRound(request)) return { text: 'Done.' }
    const args =
      name === 'Kim'
        ? { thread: lous, text: '@lou answer me over there' }
        : { thread: kims, text: '@kim answer me over there' }
    return { toolCalls: [{ name: 'post_message', args }] }
  }, 'Lou')
  await say(kims, '@kim begin')
  const far = await until(lous, 'hop_limit')
  expect([speakers(await entriesAtRest(house.owner, kims, { turns: 3 })), speakers(far)]).toEqual([
    ['Kim', 'Kim', 'Kim'],
    ['Lou', 'Lou'],
  ])
  expect([ends(far), calls()]).toEqual([['hop_limit'], 10])

  await goOn(lous)
  const back = await until(kims, 'hop_limit')
  const there = await entriesAtRest(house.owner, lous, { turns: 5 })
  expect([speakers(back).length, speakers(there).length]).toEqual([5, 5])
  expect([ends(back), ends(there), calls()]).toEqual([['hop_limit'], ['hop_limit'], 21])
  for (const entries of [back, there]) expect(checkStream(entries, { quiet: true })).toEqual([])
})

test('[I9] a bot from outside that answers each message of a bot gets three answers, and three more by Continue', async () => {
  play(() => ({ text: 'Well, and you?' }))
  const { id: ext } = await house.owner.bots.create({ name: 'Ext' })
  const id = (await house.owner.threads.create({ bots: [idOf('Kim'), ext] })).id
  const control = new AbortController()
  const answering = answerAll(id, await outsider(ext), control.signal)
  await say(id, '@kim hello')
  const first = await until(id, 'turn_limit')
  expect([speakers(first), calls()]).toEqual([['Kim', 'Kim', 'Kim'], 3])
  await goOn(id)
  const second = await until(id, 'turn_limit', 2)
  control.abort()
  await answering
  expect([speakers(second).length, ends(second), calls()]).toEqual([
    6,
    ['turn_limit', 'turn_limit'],
    6,
  ])
  expect(checkStream(second, { quiet: true })).toEqual([])
  expect(house.errors).toEqual([])
})

const SURVIVES = '[C2][I9] a worker killed in every turn of a loop leaves the count as it was'

test.skipIf(requireOrSkip('postgres'))(
  `${SURVIVES}, on postgres`,
  { timeout: 120_000 },
  async () => {
    expect(await killedInEveryTurn(serverGround)).toEqual(UNMOVED)
  },
)

test(`${SURVIVES}, embedded`, { timeout: 120_000 }, async () => {
  expect(await killedInEveryTurn(embeddedGround)).toEqual(UNMOVED)
})

const UNMOVED = { deaths: 5, turns: 6, ends: ['turn_limit'], broken: [] }

async function killedInEveryTurn(ground: KillGround): Promise<object> {
  // Each process ends one turn and dies when it asks for the next one.
  const death = { among: 'calls', when: 'before', number: 2 } as const
  const order = { isEndless: true }
  const scene = { says: '@ada go on with @bo', first: order, afterwards: order }
  const [survivor] = await ground(scene, [Array.from({ length: 5 }, () => death)])
  if (survivor === undefined) throw new Error('one list gives one survivor')
  const { entries } = reportOf(survivor)
  return {
    deaths: survivor.killed.filter(({ wasKilled }) => wasKilled).length,
    turns: speakers(entries).length,
    ends: ends(entries),
    broken: checkStream(entries, { quiet: true }),
  }
}

test.each([
  ['every eleven minutes', 11 * 60_000],
  ['every hour', 60 * 60_000],
  ['every week', 7 * 24 * 60 * 60_000],
])('[C2][L10] a loop with a turn %s has no more turns than a fast one', (_, pause) => {
  for (const banter of [false, true]) {
    const thread = directorTrace({
      bots: [bot('ann'), bot('bo')],
      settings: { banter, limitPerBot: 3, limitPerThread: 100 },
    })
    const turn = (speaker: string): string => {
      thread.later(pause)
      return speaker === 'ann' ? '@bo go on' : '@ann go on'
    }
    thread.say('mia', '@ann begin')
    const round = ['ann: mention', 'bo: mention']
    expect(thread.rest({ turn })).toEqual([...round, ...round, ...round, 'nobody: turn_limit'])
    for (let week = 0; week < 10; week += 1) {
      thread.later(pause)
      expect(thread.rest({ turn })).toEqual([])
    }
    thread.goOn('mia')
    expect(thread.rest({ turn })).toHaveLength(7)
  }
})

async function outsider(bot: string) {
  const response = await fetch(`${house.url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.ownerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'bridge', bot }),
  })
  const { token } = (await response.json()) as { token: string }
  return createClient({ baseUrl: house.url, token })
}

async function answerAll(
  id: string,
  client: ReturnType<typeof createClient>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { kind, authorId } of tailThread(client, id, { after: 0, signal }))
    if (kind === 'chat' && authorId === idOf('Kim'))
      await client.threads.append(id, { kind: 'chat', text: '@kim and then?' })
}
