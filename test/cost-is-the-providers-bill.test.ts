import type { Entry } from '@arbe/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesUntil, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

const PRICE = { input: 3, output: 15 }
const DECIDE = { input: 1_000, output: 20 }
const TURN = { input: 700, output: 50 }
const billOf = (usage: typeof TURN): number =>
  (usage.input * PRICE.input + usage.output * PRICE.output) / 1_000_000

let provider: ScriptedProvider
let house: OpenHouse
let bots: Readonly<Record<'kim' | 'lou', string>>
const threads: { readonly id: string; readonly entries: readonly Entry[] }[] = []

// Two threads: in each a question that is decided by a model and answered, in one of them an order besides.
beforeAll(async () => {
  provider = await startScriptedProvider(({ tools, text }) => {
    if (!tools.includes('decide')) return { text: 'Here I am.', usage: TURN }
    const pick = /"id":"(c\d+)","name":"Kim"/.exec(text)?.[1] ?? 'nobody'
    return { toolCalls: [{ name: 'decide', args: { pick, reason: 'hers' } }], usage: DECIDE }
  })
  house = await openHouse(
    providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl, price: PRICE }),
  )
  const { owner } = house
  const kim = await owner.bots.create({ name: 'Kim' })
  const lou = await owner.bots.create({ name: 'Lou' })
  bots = { kim: kim.id, lou: lou.id }
  for (const [title, ...texts] of [
    ['Tides', 'Who can read a tide table?', '@lou and you?'],
    ['', 'Who can read a tide table?'],
  ]) {
    const { id } = await owner.threads.create({ title, bots: [kim.id, lou.id] })
    let entries: readonly Entry[] = []
    for (const [at, text] of texts.entries()) {
      await owner.threads.append(id, { kind: 'chat', text })
      let open = at + 1
      entries = await entriesUntil(
        owner,
        id,
        ({ kind }) => kind === 'signal.thread_director.outcome' && (open -= 1) === 0,
      )
    }
    threads.push({ id, entries })
  }
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const total = 2 * billOf(DECIDE) + 3 * billOf(TURN)

test.each(['day', 'thread', 'bot', 'model'] as const)(
  'the sum by %s is what the provider was asked for and what the stream says',
  async (by) => {
    const cost = await house.owner.cost({ by })
    expect(cost.total).toEqual({
      calls: provider.calls,
      unsettled: 0,
      usage: { input: 4_100, output: 190, cacheRead: 0, cacheWrite: 0 },
      cost: expect.closeTo(total, 12),
      choosing: expect.closeTo(2 * billOf(DECIDE), 12),
    })
    const told = threads.flatMap(({ entries }) => entries.map(costIn))
    expect(cost.total.cost).toBeCloseTo(
      told.reduce((sum, one) => sum + one, 0),
      12,
    )
  },
)

function costIn({ kind, body }: Entry): number {
  const isCost =
    kind === 'signal.thread_director.decision' || kind === 'signal.thread_director.outcome'
  return isCost ? body.cost : 0
}

test('each bot, the director, each thread and the model have their share', async () => {
  const shares = async (by: 'bot' | 'thread' | 'model') =>
    (await house.owner.cost({ by })).rows.map(({ key, name, calls, cost }) => ({
      key,
      name,
      calls,
      cost: Number(cost.toFixed(9)),
    }))
  const dollars = (cost: number): number => Number(cost.toFixed(9))
  const [tides, other] = threads.map(({ id }) => id)
  expect(await shares('bot')).toEqual([
    { key: '', name: '', calls: 2, cost: dollars(2 * billOf(DECIDE)) },
    { key: bots.kim, name: 'Kim', calls: 2, cost: dollars(2 * billOf(TURN)) },
    { key: bots.lou, name: 'Lou', calls: 1, cost: dollars(billOf(TURN)) },
  ])
  expect(await shares('thread')).toEqual([
    { key: tides, name: 'Tides', calls: 3, cost: dollars(billOf(DECIDE) + 2 * billOf(TURN)) },
    { key: other, name: other, calls: 2, cost: dollars(billOf(DECIDE) + billOf(TURN)) },
  ])
  expect(await shares('model')).toEqual([
    { key: 'scripted/m', name: 'scripted/m', calls: 5, cost: dollars(total) },
  ])
})

test('one thread’s sum is its own, and a time without calls has none', async () => {
  const [, other] = threads
  const { total: own } = await house.owner.threads.cost(other?.id ?? '')
  expect([own.calls, own.cost]).toEqual([2, expect.closeTo(billOf(DECIDE) + billOf(TURN), 12)])
  const before = await house.owner.cost({ until: '2020-01-01T00:00:00Z' })
  expect([before.since, before.rows, before.total.cost]).toEqual([
    '2019-12-02T00:00:00.000Z',
    [],
    0,
  ])
})
