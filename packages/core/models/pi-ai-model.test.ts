import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import {
  inTurn,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../test/support/scripted-provider.ts'
import type { Model, ModelMessage, ModelRequest } from './model.ts'
import { loadPiAiModels } from './pi-ai-model.ts'

const KEY = 'sk-secret-0123456789'
const prices = { inputPrice: 2, outputPrice: 10, contextWindow: 32_000, maxOutput: 4_096 }

let provider: ScriptedProvider
let openai: Model
let anthropic: Model

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({ text: 'hello' }))
  const models = [{ id: 'tiny', ...prices }]
  const loaded = await loadPiAiModels({
    defaultModel: undefined,
    keys: new Map(),
    providers: [
      { name: 'near', kind: 'openai', baseUrl: provider.openaiBaseUrl, apiKey: KEY, models },
      { name: 'far', kind: 'anthropic', baseUrl: `${provider.anthropicBaseUrl}/v1`, models },
    ],
  })
  openai = find(loaded, 'near/tiny')
  anthropic = find(loaded, 'far/tiny')
})

afterAll(() => provider[Symbol.asyncDispose]())

beforeEach(() => {
  provider.use(() => ({ text: 'hello' }))
})

function find(models: readonly Model[], id: string): Model {
  const model = models.find((one) => one.id === id)
  if (model === undefined) throw new Error(`no ${id}`)
  return model
}

const user = (content: string): ModelMessage => ({ role: 'user', content, timestamp: 1 })
const ask = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  systemPrompt: 'be brief',
  messages: [user('hi')],
  tools: [],
  ...over,
})
const quiet = (signal = new AbortController().signal) => ({ signal, onEvent: () => undefined })
const lookup = {
  name: 'lookup',
  description: 'Looks up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}

test('a reply comes with its text as it streams, its usage and its cost', async () => {
  provider.use(() => ({
    text: 'one two three',
    usage: { input: 1_000, output: 500, cacheRead: 200 },
  }))
  for (const model of [openai, anthropic]) {
    const deltas: string[] = []
    const reply = await model.call(ask(), { ...quiet(), onText: (delta) => deltas.push(delta) })
    expect(deltas).toEqual(['one ', 'two ', 'three'])
    expect(reply).toMatchObject({
      status: 'ok',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'one two three' }],
        stopReason: 'stop',
      },
      usage: { input: 1_000, output: 500, cacheRead: 200, cacheWrite: 0 },
    })
    expect(reply.cost).toBeCloseTo((1_000 * 2 + 500 * 10 + 200 * 2) / 1e6, 10)
  }
})

test('a forced tool is forced in the words of each protocol, and the only call comes back', async () => {
  provider.use(() => ({ toolCalls: [{ id: 'c1', name: 'lookup', args: { word: 'tea' } }] }))
  const request = ask({ tools: [lookup], forceTool: 'lookup', maxOutputTokens: 1_024 })
  for (const model of [openai, anthropic]) {
    const reply = await model.call(request, quiet())
    expect(reply).toMatchObject({
      status: 'ok',
      message: {
        stopReason: 'toolUse',
        content: [{ type: 'toolCall', id: 'c1', name: 'lookup', arguments: { word: 'tea' } }],
      },
    })
  }
  const [toOpenai, toAnthropic] = provider.requests.slice(-2)
  expect(toOpenai?.body).toMatchObject({ tool_choice: 'required', max_tokens: 1_024 })
  expect(toAnthropic?.body).toMatchObject({
    tool_choice: { type: 'tool', name: 'lookup' },
    max_tokens: 1_024,
  })
})

test('arguments that are no JSON are told, not guessed', async () => {
  provider.use(() => ({ toolCalls: [{ id: 'c1', name: 'lookup', args: '{"word": "te' }] }))
  const reply = await openai.call(ask({ tools: [lookup] }), quiet())
  const [block] = reply.status === 'ok' ? reply.message.content : []
  expect(block).toMatchObject({ type: 'toolCall', arguments: {} })
  expect(block).toHaveProperty('argumentsError', expect.stringContaining('te'))
})

test('an overloaded provider is worth another try, and says when', async () => {
  provider.use(() => ({ status: 429, error: 'slow down', headers: { 'retry-after': '7' } }))
  for (const model of [openai, anthropic]) {
    const reply = await model.call(ask(), quiet())
    expect(reply).toMatchObject({
      status: 'failed',
      retryable: true,
      retryAfter: 7_000,
      partial: '',
    })
  }
})

test('a refused key is not worth another try, and stays secret', async () => {
  provider.use(() => ({ status: 401, error: `Incorrect API key provided: ${KEY}.` }))
  const calls = provider.calls
  const reply = await openai.call(ask(), quiet())
  expect(reply).toMatchObject({
    status: 'failed',
    retryable: false,
    error: '401: Incorrect API key provided: [key].',
  })
  expect(provider.calls - calls).toBe(1)
})

test('a request that is too large is told apart', async () => {
  const error = "This model's maximum context length is 8192 tokens, you sent 9000"
  provider.use(() => ({ status: 400, error }))
  const reply = await openai.call(ask(), quiet())
  expect(reply).toMatchObject({ status: 'failed', retryable: false, overflow: true })
})

test('a cut stream fails with the text that came before', async () => {
  provider.use(() => ({ text: 'half of an answer that never ends', cutAfterBytes: 900 }))
  for (const model of [openai, anthropic]) {
    const reply = await model.call(ask(), quiet())
    expect(reply).toMatchObject({ status: 'failed', retryable: true })
    expect(reply).toHaveProperty('partial', expect.stringMatching(/^half of/))
  }
})

test('an abort ends a silent stream at once', async () => {
  provider.use(() => ({ text: 'x', silent: true }))
  const stop = new AbortController()
  const events: number[] = []
  const reply = openai.call(ask(), {
    signal: stop.signal,
    onEvent: () => {
      events.push(1)
      stop.abort()
    },
  })
  expect(await reply).toMatchObject({ status: 'aborted', partial: '' })
  expect(events.length).toBeGreaterThan(0)
})

test('the request names neither the library nor a key that was not configured', async () => {
  await openai.call(ask(), quiet())
  await anthropic.call(ask(), quiet())
  const [toOpenai, toAnthropic] = provider.requests.slice(-2)
  expect(toOpenai?.headers).toMatchObject({
    'user-agent': expect.stringMatching(/^arbe/),
    authorization: `Bearer ${KEY}`,
  })
  expect(toAnthropic?.headers).toMatchObject({
    'user-agent': expect.stringMatching(/^arbe/),
    'x-api-key': 'none',
  })
  expect(toAnthropic?.path).toBe('/v1/messages?beta=true')
})

test('a stored reply goes back as it came, thinking and signature included', async () => {
  provider.use(
    inTurn(
      {
        thinking: 'hm',
        text: 'I look',
        toolCalls: [{ id: 't1', name: 'lookup', args: { word: 'x' } }],
      },
      { text: 'done' },
    ),
  )
  const first = await anthropic.call(ask({ tools: [lookup] }), quiet())
  if (first.status !== 'ok') throw new Error('no reply')
  const stored = JSON.parse(JSON.stringify(first.message)) as typeof first.message
  const result: ModelMessage = {
    role: 'toolResult',
    toolCallId: 't1',
    toolName: 'lookup',
    content: [{ type: 'text', text: 'found' }],
    isError: false,
    timestamp: 2,
  }
  await anthropic.call(ask({ tools: [lookup], messages: [user('hi'), stored, result] }), quiet())
  const sent = provider.requests.at(-1)?.body['messages']
  expect(sent).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' },
        { type: 'text', text: 'I look' },
        { type: 'tool_use', id: 't1', name: 'lookup', input: { word: 'x' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
  ])
})

test('[E10] what another model thought is left out, and its call ids are made acceptable', async () => {
  provider.use(
    inTurn(
      { thinking: 'hm', toolCalls: [{ id: 'odd|id!', name: 'lookup', args: { word: 'x' } }] },
      { text: 'done' },
    ),
  )
  const first = await openai.call(ask({ tools: [lookup] }), quiet())
  if (first.status !== 'ok') throw new Error('no reply')
  const result: ModelMessage = {
    role: 'toolResult',
    toolCallId: 'odd|id!',
    toolName: 'lookup',
    content: [{ type: 'text', text: 'found' }],
    isError: false,
    timestamp: 2,
  }
  const messages = [user('hi'), first.message, result]
  await anthropic.call(ask({ tools: [lookup], messages }), quiet())
  expect(provider.requests.at(-1)?.body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'odd_id_' }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'odd_id_' }] },
  ])
})

test('without a configured provider nothing of the library is loaded', async () => {
  expect(await loadPiAiModels({ defaultModel: undefined, keys: new Map(), providers: [] })).toEqual(
    [],
  )
})
