import { expect, test } from 'vitest'

import { textOf, toolCallsOf } from './assistant-message.ts'
import { createDemoModel } from './demo-model.ts'
import type { ModelMessage, ModelReply, ModelRequest } from './model.ts'

const demo = createDemoModel(async () => undefined)
const tool = (name: string) => ({ name, description: '', parameters: {} })
const tools = ['read_file', 'write_file', 'patch_file', 'list_files', 'delete_file', 'pass'].map(
  tool,
)

function said(text: string, from = 'Mia'): ModelMessage {
  const quoted = text.replaceAll('\n', '\n| ')
  return {
    role: 'user',
    content: `{"from":"${from}","is":"person","n":1}\n| ${quoted}`,
    timestamp: 1,
  }
}

async function ask(over: Partial<ModelRequest>): Promise<Extract<ModelReply, { status: 'ok' }>> {
  const request = { systemPrompt: 'Your name is Ada, your handle is @ada.', messages: [], tools }
  const { signal } = new AbortController()
  const reply = await demo.call({ ...request, ...over }, { signal, onEvent: () => undefined })
  if (reply.status !== 'ok') throw new Error(reply.status)
  return reply
}

async function callOf(text: string): Promise<unknown> {
  const { message } = await ask({ messages: [said(text)] })
  const [call] = toolCallsOf(message)
  return call === undefined ? undefined : [call.name, call.arguments]
}

test.each([
  ['read notes.txt', ['read_file', { path: 'notes.txt' }]],
  ['@ada could you show me the file docs/a-b.md please?', ['read_file', { path: 'docs/a-b.md' }]],
  ['which files are there?', ['list_files', {}]],
  ['list the files', ['list_files', {}]],
  [
    'write "hello you" to greeting.txt',
    ['write_file', { path: 'greeting.txt', content: 'hello you\n' }],
  ],
  [
    'replace "rain" with "snow" in poem.txt',
    ['patch_file', { path: 'poem.txt', old_str: 'rain', new_str: 'snow' }],
  ],
  ['delete poem.txt', ['delete_file', { path: 'poem.txt' }]],
  ['I like reading.', undefined],
])('"%s" calls the tool it means', async (text, call) => {
  expect(await callOf(text)).toEqual(call)
})

test('a poem is written into the file that was named', async () => {
  expect(await callOf('write a poem about rain into poem.txt')).toEqual([
    'write_file',
    { path: 'poem.txt', content: expect.stringContaining('rain') as string },
  ])
})

test('only what the last speaker said counts, not what stands above it', async () => {
  const { message } = await ask({
    messages: [
      {
        role: 'user',
        content:
          '{"from":"Mia","is":"person"}\n| read a.txt\n\n{"from":"Ben","is":"person"}\n| list the files',
        timestamp: 1,
      },
    ],
  })
  expect(toolCallsOf(message).map((call) => call.name)).toEqual(['list_files'])
})

test('a tool that is not offered is named, not called', async () => {
  const { message } = await ask({ messages: [said('run npm test')] })
  expect(toolCallsOf(message)).toEqual([])
  expect(textOf(message)).toBe('That would need `run_command`, which I am not given here.')
})

test('results are told in words', async () => {
  const first = await ask({ messages: [said('read notes.txt')] })
  const result: ModelMessage = {
    role: 'toolResult',
    toolCallId: 'x',
    toolName: 'read_file',
    content: [{ type: 'text', text: '1: buy tea\n2: sleep\n' }],
    isError: false,
    timestamp: 2,
  }
  const ok = await ask({ messages: [said('read notes.txt'), first.message, result] })
  expect(textOf(ok.message)).toBe('`notes.txt` says:\n\n```\nbuy tea\nsleep\n```')
  const failed = {
    ...result,
    isError: true,
    content: [{ type: 'text' as const, text: 'file_not_found: no' }],
  }
  const no = await ask({ messages: [said('read notes.txt'), first.message, failed] })
  expect(textOf(no.message)).toBe('That did not work: file_not_found: no')
})

test('the same words get the same answer, and bots of other names have other voices', async () => {
  const talk = async (name: string): Promise<string> => {
    const systemPrompt = `Your name is ${name}, your handle is @x.`
    return textOf((await ask({ systemPrompt, messages: [said('hello there')] })).message)
  }
  expect(await talk('Ada')).toBe(await talk('Ada'))
  const voices = await Promise.all(['Ada', 'Cleo', 'Atlas', 'Iris'].map(talk))
  expect(new Set(voices).size).toBe(3)
})

test('a bot talks like who its prompt says it is', async () => {
  const talk = async (prompt: string): Promise<string> => {
    const systemPrompt = `Your name is Bo, your handle is @bo.\n\n${prompt}`
    return textOf((await ask({ systemPrompt, messages: [said('hi')] })).message)
  }
  expect(await talk('You are Bo, a careful critic.')).toBe('Hello Mia. What shall we doubt today?')
  expect(await talk('You are Bo, a writer.')).toBe('Hello Mia. What shall I write down?')
})

test.each([
  ['What is still missing from our plan?', 'our plan'],
  ['What should we test first?', '“test”'],
  ['@bo what do you think about caching?', 'caching'],
  ['Tea?', 'Tea'],
])('"%s" is about %s', async (text, topic) => {
  const systemPrompt = 'Your name is Bo, your handle is @bo.\n\nYou are a critic.'
  expect(textOf((await ask({ systemPrompt, messages: [said(text)] })).message)).toContain(topic)
})

test('the answer streams word by word, and an abort keeps what was said', async () => {
  const stop = new AbortController()
  const deltas: string[] = []
  const reply = await demo.call(
    { systemPrompt: '', messages: [said('help')], tools },
    {
      signal: stop.signal,
      onEvent: () => undefined,
      onText: (delta) => {
        deltas.push(delta)
        if (deltas.length === 3) stop.abort()
      },
    },
  )
  expect(deltas).toEqual(['I ', 'am ', 'the '])
  expect(reply).toMatchObject({ status: 'aborted', partial: 'I am the ' })
})

function decision(text: string, nobody = true): Partial<ModelRequest> {
  const candidates = [
    {
      id: 'c1',
      name: 'Poet',
      handle: 'poet',
      does: 'Writes verses and stories',
      tools: 'write_file',
    },
    {
      id: 'c2',
      name: 'Coder',
      handle: 'coder',
      does: 'Runs tests and reviews code',
      tools: 'run_command',
    },
  ]
  const line = JSON.stringify({ author: 'Mia', is: 'person', text })
  return {
    forceTool: 'decide',
    tools: [
      { ...tool('decide'), parameters: { enum: ['c1', 'c2', ...(nobody ? ['nobody'] : [])] } },
    ],
    messages: [
      {
        role: 'user',
        content: `Candidates:\n${candidates.map((one) => JSON.stringify(one)).join('\n')}\n\nSaid before:\n${JSON.stringify({ text: 'write a story' })}\n\nNew, to be decided about:\n${line}\n\nChoose one.`,
        timestamp: 1,
      },
    ],
  }
}

test.each([
  ['please review my code', 'c2'],
  ['who has a short story for me?', 'c1'],
  ['lunch was good', 'nobody'],
  ['is anybody here?', 'c2'],
])('"%s" is decided by shared words', async (text, pick) => {
  const { message } = await ask(decision(text))
  expect(toolCallsOf(message)).toMatchObject([{ name: 'decide', arguments: { pick } }])
})

test('where nobody is no choice, somebody is chosen', async () => {
  const { message } = await ask(decision('lunch was good', false))
  expect(toolCallsOf(message)).toMatchObject([{ arguments: { pick: 'c2' } }])
})
