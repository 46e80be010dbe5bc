import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { entriesAtRest, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'

const USAGE = { input: 1_000, output: 20 }
const BILL = 0.0033
const QUESTIONS = ['Who knows the tides?', 'And the moon?', 'And the wind?']
const nobody: ScriptedReply = {
  toolCalls: [{ name: 'decide', args: { pick: 'nobody', reason: 'small talk' } }],
  usage: USAGE,
}
const noChoice: ScriptedReply = { text: 'What a question.', usage: USAGE }

let provider: ScriptedProvider
let house: OpenHouse
let threadId: string

beforeAll(async () => {
  provider = await startScriptedProvider(() => nobody)
  house = await openHouse(
    providerEnv({
      kind: 'openai',
      baseUrl: provider.openaiBaseUrl,
      price: { input: 3, output: 15 },
    }),
  )
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

beforeEach(async () => {
  const { owner } = house
  provider.use(() => nobody)
  const bots = await Promise.all(['Kim', 'Lou'].map((name) => owner.bots.create({ name })))
  const thread = await owner.threads.create({ title: '', bots: bots.map(({ id }) => id) })
  threadId = thread.id
  for (const text of QUESTIONS) {
    const { seq } = await owner.threads.append(threadId, { kind: 'chat', text })
    await entriesAtRest(owner, threadId, { seq })
  }
})

/** The caller goes while the provider makes up its first answer, which is given once the house has seen that. */
async function goneMeanwhile(path: string, body: object, answer: ScriptedReply): Promise<void> {
  const arrived = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  provider.use(async () => {
    arrived.resolve()
    await mayAnswer.promise
    return answer
  })
  const caller = new AbortController()
  const asking = fetch(`${house.url}/v1/threads/${threadId}/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${house.ownerToken}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
    signal: caller.signal,
  })
  await arrived.promise
  caller.abort()
  await expect(asking).rejects.toThrow('aborted')
  for (let trip = 0; trip < 3; trip += 1) await house.owner.me()
  mayAnswer.resolve()
  while ((await house.owner.threads.cost(threadId)).total.unsettled > 0);
}

test('a replay whose caller has gone asks no more: the call under way is in the books, and none follows', async () => {
  const calls = provider.calls
  await goneMeanwhile('director-replay', { model: 'scripted/m' }, nobody)
  expect(provider.calls - calls).toBe(1)
  const { total } = await house.owner.threads.cost(threadId)
  expect(total.cost).toBeCloseTo((QUESTIONS.length + 1) * BILL, 12)
  // Whatever still ran would have asked by the end of a whole replay.
  const { same } = await house.owner.threads.replay(threadId, { model: 'scripted/m' })
  expect(same).toBe(QUESTIONS.length)
  expect(provider.calls - calls).toBe(1 + QUESTIONS.length)
  expect(house.errors).toEqual([])
})

test('a question who would speak, whose asker has gone, is not put a second time', async () => {
  const calls = provider.calls
  await goneMeanwhile('who-would-speak', { text: 'And the stars?', paid: true }, noChoice)
  provider.use(() => nobody)
  const { total } = await house.owner.threads.cost(threadId)
  expect(total.cost).toBeCloseTo((QUESTIONS.length + 1) * BILL, 12)
  const asked = await house.owner.threads.whoWouldSpeak(threadId, { text: 'Stars?', paid: true })
  expect(asked.kind).toBe('decided')
  expect(provider.calls - calls).toBe(2)
  expect(house.errors).toEqual([])
})
