import { randomBytes } from 'node:crypto'
import type { Entry, EntryOf } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesAtRest, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import {
  type ScriptedProvider,
  type ScriptedRequest,
  startScriptedProvider,
} from './support/scripted-provider.ts'

// The provider knows its own script and what each request's body holds, and nothing else of the house.
const PRICE = { input: 3, output: 15 }
const DECIDE_USAGE = { input: 1_234, output: 21 }
const TURN_USAGE = { input: 987, output: 65 }
const KEY = `key-${randomBytes(8).toString('hex')}`
const PROMPT = `prompt-${randomBytes(8).toString('hex')}`
const RUNS = 10

let provider: ScriptedProvider
let house: OpenHouse
/** What the described bot is good at in this run. */
let word = ''

beforeAll(async () => {
  provider = await startScriptedProvider((request) =>
    isDecision(request)
      ? {
          toolCalls: [{ name: 'decide', args: { pick: describedId(request), reason: 'It fits.' } }],
          usage: DECIDE_USAGE,
        }
      : { text: 'Here I am.', usage: TURN_USAGE },
  )
  const settings = { kind: 'openai', baseUrl: provider.openaiBaseUrl, apiKey: KEY, price: PRICE }
  house = await openHouse(providerEnv({ ...settings, kind: 'openai' }))
})

afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

function isDecision({ tools }: ScriptedRequest): boolean {
  return tools.includes('decide')
}

/** Read out of the request: the id in the candidate's line that holds the word. */
function describedId({ text }: ScriptedRequest): string {
  const line = text.split('\n').find((one) => one.startsWith('{"id":') && one.includes(word))
  return /"id":"(c\d+)"/.exec(line ?? '')?.[1] ?? 'the word is in no description'
}

interface Run {
  readonly described: string
  readonly entries: readonly Entry[]
  readonly pickedId: string
}

/** Four bots, one of them described with this run's word, seated in a random order, and a question to nobody in particular. */
async function run(client: ArbeClient, bots: readonly string[]): Promise<Run> {
  word = `w${randomBytes(6).toString('hex')}`
  const chosen = randomBytes(1).readUInt8() % bots.length
  for (const [index, id] of bots.entries()) {
    const about = index === chosen ? word : `w${randomBytes(6).toString('hex')}`
    await client.bots.edit(id, { description: `Knows all about ${about}.` })
  }
  const seats = bots.toSorted(() => randomBytes(1).readInt8())
  const thread = await client.threads.create({ title: 'Who knows?', bots: seats })
  await client.threads.append(thread.id, { kind: 'chat', text: 'Where should we begin with it?' })
  const entries = await entriesAtRest(client, thread.id)
  const request = provider.requests.findLast(isDecision)
  return {
    described: bots[chosen] ?? '',
    entries,
    pickedId: request === undefined ? '' : describedId(request),
  }
}

const decisionsIn = (entries: readonly Entry[]) =>
  entries.filter(
    (entry): entry is EntryOf<'signal.thread_director.decision'> =>
      entry.kind === 'signal.thread_director.decision',
  )
const outcomesIn = (entries: readonly Entry[]) =>
  entries.filter(
    (entry): entry is EntryOf<'signal.thread_director.outcome'> =>
      entry.kind === 'signal.thread_director.outcome',
  )

const billOf = (usage: { input: number; output: number }): number =>
  (usage.input * PRICE.input + usage.output * PRICE.output) / 1_000_000

test('the bot whose description fits speaks, ten times out of ten, and costs what the provider says', async () => {
  const bots: string[] = []
  for (const name of ['Kim', 'Lou', 'Max', 'Noa']) {
    const bot = await house.owner.bots.create({ name, prompt: `${PROMPT} You are ${name}.` })
    bots.push(bot.id)
  }
  const before = provider.calls
  const runs: Run[] = []
  for (let count = 0; count < RUNS; count += 1) runs.push(await run(house.owner, bots))

  const paid = runs.map(({ entries }) => decisionsIn(entries)[0]?.body)
  expect(paid.map((decision) => decision?.speaker)).toEqual(runs.map(({ described }) => described))
  expect(paid.map((decision) => decision?.kind)).toEqual(runs.map(() => 'paid'))
  for (const decision of paid) expect(decision?.cost).toBeCloseTo(billOf(DECIDE_USAGE), 12)
  const turns = runs.flatMap(({ entries }) => outcomesIn(entries).map(({ body }) => body))
  expect(turns.map(({ status }) => status)).toEqual(runs.map(() => 'replied'))
  for (const { cost } of turns) expect(cost).toBeCloseTo(billOf(TURN_USAGE), 12)

  // The same bot gets another id from call to call.
  expect(new Set(runs.map(({ pickedId }) => pickedId)).size).toBeGreaterThan(1)
  // One call a paid decision and one a round: the provider was asked for nothing that the stream does not show.
  const rounds = turns.reduce((sum, { rounds: each }) => sum + each, 0)
  expect(provider.calls - before).toBe(paid.length + rounds)
  expect(house.errors).toEqual([])
})

test('the request for a decision tells what each candidate may use', () => {
  const request = provider.requests.find(isDecision)
  const candidates = request?.text.split('\n').filter((line) => line.startsWith('{"id":"c')) ?? []
  expect(candidates.length).toBe(4)
  for (const line of candidates) expect(line).toMatch(/"tools":"[^"]*write_file/)
})

test('the request for a decision holds no prompt, no signal, no secret and no id of the house', () => {
  const bodies = provider.requests.filter(isDecision).map(({ body }) => JSON.stringify(body))
  expect(bodies.length).toBe(RUNS)
  for (const body of bodies) {
    for (const secret of [PROMPT, KEY, house.ownerToken, 'signal.', 'agt_', 'usr_', 'thr_']) {
      expect(body.includes(secret), `${secret} in ${body}`).toBe(false)
    }
  }
})
