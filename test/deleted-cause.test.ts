import type { Entry } from '@arbe/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { type Gate, gate } from './support/gate.ts'
import { entriesUntil, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'

let provider: ScriptedProvider
let house: OpenHouse
beforeAll(async () => {
  provider = await startScriptedProvider(() => ({}))
  house = await openHouse(providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }))
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const CANCELLED = ['cancelled: cause_deleted']
const WRITES: ScriptedReply = {
  toolCalls: [{ name: 'write_file', args: { path: 'never.txt', content: 'x' } }],
}
const LOOKS: ScriptedReply = { toolCalls: [{ name: 'list_files', args: {} }] }

test.each<[string, ScriptedReply]>([
  ['its answer', { text: 'Here.' }],
  ['a call', WRITES],
])(
  'what a turn alone answers is deleted while the model writes %s: nothing of that is said or done',
  async (_, reply) => {
    const [held] = holdAnswers(reply)
    const { id, seq } = await say('@ada hello')
    await held.asked.passed
    await remove(id, seq)
    held.given.open()
    const entries = await ended(id)
    expect([texts(entries), outcomes(entries), results(entries)]).toEqual([
      ['@ada hello'],
      CANCELLED,
      0,
    ])
    expect((await house.owner.files.list()).files.map(({ path }) => path)).not.toContain(
      'never.txt',
    )
    expect(checkStream(entries, { quiet: false })).toEqual([])
  },
)

test('deleted after a round with calls, it ends the turn; what was done before stays on record', async () => {
  const [round, held] = holdAnswers(LOOKS, { text: 'Here.' })
  round.given.open()
  const { id, seq } = await say('@ada hello')
  await held.asked.passed
  await remove(id, seq)
  held.given.open()
  const entries = await ended(id)
  expect([texts(entries), outcomes(entries), results(entries)]).toEqual([
    ['@ada hello'],
    CANCELLED,
    1,
  ])
})

test('of two messages that a turn answers one may go', async () => {
  const [first, second] = holdAnswers({ text: 'First.' }, { text: 'Second.' })
  const { id } = await say('@ada hello')
  await first.asked.passed
  // Both wait for the end of this turn, and are answered by the next one together.
  const waiting: number[] = []
  for (const text of ['@ada and that?', '@ada and this?'])
    waiting.push((await house.owner.threads.append(id, { kind: 'chat', text })).seq)
  first.given.open()
  await second.asked.passed
  await remove(id, waiting[1])
  second.given.open()
  const entries = await ended(id, 2)
  expect([texts(entries).slice(-1), outcomes(entries)]).toEqual([
    ['Second.'],
    ['replied', 'replied'],
  ])
})

const OUTCOME = 'signal.thread_director.outcome'

interface Held {
  readonly asked: Gate
  readonly given: Gate
}

/** The next answers, each held back until it is given. */
function holdAnswers(first: ScriptedReply, second: ScriptedReply = {}): readonly [Held, Held] {
  const hold = (reply: ScriptedReply) => ({ reply, asked: gate(), given: gate() })
  const held = [hold(first), hold(second)] as const
  const waiting = held.values()
  provider.use(() => {
    const next = waiting.next().value
    if (next === undefined) throw new Error('no further answer was expected')
    next.asked.open()
    return next.given.passed.then(() => next.reply)
  })
  return held
}

async function say(text: string): Promise<{ readonly id: string; readonly seq: number }> {
  const { bots } = await house.owner.bots.list()
  const { id } = await house.owner.threads.create({ bots: bots.map((bot) => bot.id) })
  const { seq } = await house.owner.threads.append(id, { kind: 'chat', text })
  return { id, seq }
}

async function remove(id: string, target: number | undefined): Promise<void> {
  if (target === undefined) throw new Error('nothing was said')
  await house.owner.threads.append(id, { kind: 'chat.delete', target })
}

function ended(id: string, turns = 1): Promise<readonly Entry[]> {
  let left = turns
  return entriesUntil(house.owner, id, ({ kind }) => {
    if (kind === OUTCOME) left -= 1
    return left === 0
  })
}

const texts = (entries: readonly Entry[]): readonly string[] =>
  ofKind(entries, 'chat').map(({ body }) => body.text)

const outcomes = (entries: readonly Entry[]): readonly string[] =>
  ofKind(entries, OUTCOME).map(({ body }) =>
    [body.status, body.because].filter((part) => part !== undefined).join(': '),
  )

const results = (entries: readonly Entry[]): number => ofKind(entries, 'pi.tool_result').length
