import { randomBytes } from 'node:crypto'
import type { ModelAsked } from '@arbe/sdk/api'
import { ApiError, type ArbeClient, createClient } from '@arbe/sdk/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesAtRest, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'

const KEY = `key-${randomBytes(8).toString('hex')}`
const PROMPT = `prompt-${randomBytes(8).toString('hex')}`
const USAGE = { input: 1_234, output: 21 }

let provider: ScriptedProvider
let house: OpenHouse
let bots: readonly string[]

const chooses: ScriptedReply = {
  toolCalls: [{ name: 'decide', args: { pick: 'nobody', reason: 'They talk.' } }],
  usage: USAGE,
}

beforeAll(async () => {
  provider = await startScriptedProvider(() => chooses)
  house = await openHouse(
    providerEnv({
      kind: 'openai',
      baseUrl: provider.openaiBaseUrl,
      apiKey: KEY,
      price: { input: 3, output: 15 },
    }),
  )
  const ada = await house.owner.bots.create({ name: 'Ada', prompt: PROMPT })
  const bo = await house.owner.bots.create({ name: 'Bo', prompt: PROMPT })
  bots = [ada.id, bo.id]
})

afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

interface Asked {
  readonly threadId: string
  readonly requests: readonly ModelAsked[]
  /** What the provider received for it. */
  readonly received: readonly unknown[]
}

async function ask(text: string, people: readonly string[] = []): Promise<Asked> {
  const before = provider.calls
  const thread = await house.owner.threads.create({ bots: [...bots], people: [...people] })
  await house.owner.threads.append(thread.id, { kind: 'chat', text })
  await entriesAtRest(house.owner, thread.id)
  const { requests } = await house.owner.threads.asked(thread.id, 1)
  const received = provider.requests.slice(before).map(({ body }) => body)
  return { threadId: thread.id, requests, received }
}

/** A kept request in the words of the provider's protocol. */
function asSent({ request }: ModelAsked) {
  return {
    messages: [
      { role: 'system', content: request.systemPrompt },
      ...request.messages.map(({ role, content }) => ({ role, content })),
    ],
    tools: request.tools.map((tool) => ({ type: 'function', function: tool })),
  }
}

test('the owner reads word for word what the provider received, and what it answered', async () => {
  const { requests, received } = await ask('Where should we begin with it?')
  expect(received).toMatchObject(requests.map(asSent))
  expect(requests).toEqual([
    {
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      model: 'scripted/m',
      request: expect.objectContaining({ attempt: 1, forceTool: 'decide' }),
      answered: expect.stringContaining('"arguments":{"pick":"nobody","reason":"They talk."}'),
      usage: { ...USAGE, cacheRead: 0, cacheWrite: 0 },
      cost: (USAGE.input * 3 + USAGE.output * 15) / 1_000_000,
      error: null,
    },
  ])
  const { candidates } = requests[0]?.request ?? { candidates: {} }
  expect(Object.keys(candidates).toSorted()).toEqual(['c1', 'c2', 'nobody'])
  expect(new Set(Object.values(candidates))).toEqual(new Set([...bots, null]))
})

test('after an answer that cannot be used both tries are there', async () => {
  let calls = 0
  provider.use(() => (calls++ === 0 ? { text: 'Well, somebody.', usage: USAGE } : chooses))
  const { requests, received } = await ask('And who knows the date?')
  expect(received).toMatchObject(requests.map(asSent))
  expect(requests.map(({ request }) => request.attempt)).toEqual([1, 2])
  expect(requests[0]?.answered).toContain('Well, somebody.')
  expect(requests[1]?.request.messages[0]?.content).toContain('could not be used')
})

test('a call that failed is there with its error', async () => {
  provider.use(() => ({ status: 400, error: 'no such thing' }))
  const { requests } = await ask('What is missing?')
  provider.use(() => chooses)
  expect(requests.map(({ error, answered }) => [error, answered])).toEqual([
    [expect.stringContaining('no such thing'), ''],
  ])
})

test('neither a key nor a token nor the prompt of a bot is in it', async () => {
  const { requests } = await ask('Is anything secret?')
  const text = JSON.stringify(requests)
  for (const secret of [KEY, PROMPT, house.ownerToken]) expect(text).not.toContain(secret)
})

test('for a free decision nothing was asked', async () => {
  const { requests, received } = await ask('thanks')
  expect([requests, received]).toEqual([[], []])
})

test('everybody but the owner is refused, also who is in the thread, and a bot driven from outside', async () => {
  const others: ArbeClient[] = []
  const people: string[] = []
  for (const role of ['admin', 'member', 'guest'] as const) {
    const { client } = await signIn((await house.owner.invite(role)).url, `A ${role}`)
    others.push(client)
    people.push((await client.me()).person.id)
  }
  others.push(await outsideBot())
  const { threadId } = await ask('Who may read this?', people)
  const codes = await Promise.all(others.map((client) => refusalOf(client, threadId)))
  expect(codes).toEqual(others.map(() => [403, 'forbidden']))
})

test('a thread the owner is not in is not there', async () => {
  const { client } = await signIn((await house.owner.invite('member')).url, 'Ben')
  const thread = await client.threads.create({ bots: [...bots] })
  expect(await refusalOf(house.owner, thread.id)).toEqual([404, 'not_found'])
})

async function outsideBot(): Promise<ArbeClient> {
  const outside = await house.owner.bots.create({ name: 'Outside' })
  const response = await fetch(`${house.url}/v1/tokens`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${house.ownerToken}`,
    },
    body: JSON.stringify({ label: 'x', bot: outside.id }),
  })
  const { token } = (await response.json()) as { readonly token: string }
  return createClient({ baseUrl: house.url, token })
}

async function refusalOf(client: ArbeClient, threadId: string): Promise<unknown> {
  try {
    return await client.threads.asked(threadId, 1)
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.code]
    throw error
  }
}
