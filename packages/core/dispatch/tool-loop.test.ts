import { toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'

import { fakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import {
  calls,
  type FakeModel,
  fakeModel,
  fails,
  hangs,
  replies,
  says,
} from '../../../test/support/fake-model.ts'
import type { AssistantMessage, Model, ModelMessage } from '../models/model.ts'
import { createCircuit } from '../models/circuit.ts'
import { LOOP_LIMITS, type LoopResult, runToolLoop, type ToolLoop } from './tool-loop.ts'

const question: ModelMessage = { role: 'user', content: 'hi', timestamp: 1 }

interface Loop extends ToolLoop {
  /** What became durable and what ran, in order. */
  readonly log: string[]
  readonly stored: AssistantMessage[]
  readonly shown: string[]
}

function loopOf(model: FakeModel, over: Partial<ToolLoop> = {}): Loop {
  const log: string[] = []
  const stored: AssistantMessage[] = []
  const shown: string[] = []
  return {
    log,
    stored,
    shown,
    model,
    systemPrompt: 'prompt',
    messages: [question],
    tools: [{ name: 'look', description: '', parameters: {} }],
    sessionId: 's',
    limits: { ...LOOP_LIMITS, requestBytes: 1_000_000 },
    clock: fakeClock(),
    signal: new AbortController().signal,
    begin: { rounds: 0, calls: 0 },
    async storeAssistant({ round, message }) {
      log.push(`store ${round}`)
      stored.push(message)
      return toOffset(100 + round)
    },
    async runCall({ round, index, call, refusal }) {
      log.push(`run ${round}.${index} ${call.name}${refusal === undefined ? '' : ` (${refusal})`}`)
      return { text: `${call.name} done`, isError: false, bad: false }
    },
    betweenRounds: async () => undefined,
    onText: (delta) => shown.push(delta),
    onRestart: () => shown.push('/'),
    ...over,
  }
}

const run = (loop: ToolLoop): Promise<LoopResult> =>
  (loop.clock as FakeClock).run(runToolLoop(loop))

test('a reply without calls is the answer, stored whole before it is given', async () => {
  const loop = loopOf(fakeModel(says('hello')))
  expect(await run(loop)).toEqual({ kind: 'answer', text: 'hello', assistant: 100 })
  expect(loop.log).toEqual(['store 0'])
})

test('calls run after their message is stored, one after the other, and their results go back in order', async () => {
  const model = fakeModel(calls(['look', { at: 1 }, 'a'], ['look', { at: 2 }, 'b']), says('seen'))
  const loop = loopOf(model)
  expect(await run(loop)).toEqual({ kind: 'answer', text: 'seen', assistant: 101 })
  expect(loop.log).toEqual(['store 0', 'run 0.0 look', 'run 0.1 look', 'store 1'])
  expect(model.requests.map((request) => request.messages.length)).toEqual([1, 4])
  expect(model.requests[1]?.messages.slice(2)).toMatchObject([
    { role: 'toolResult', toolCallId: 'a', content: [{ text: 'look done' }], isError: false },
    { role: 'toolResult', toolCallId: 'b', content: [{ text: 'look done' }], isError: false },
  ])
  expect(model.requests[1]).toMatchObject({
    systemPrompt: 'prompt',
    sessionId: 's',
    tools: loop.tools,
  })
})

test('empty and doubled call ids are told apart in the next request', async () => {
  const model = fakeModel(
    calls(['look', {}, ''], ['look', {}, 'x'], ['look', {}, 'x']),
    says('seen'),
  )
  await run(loopOf(model))
  const ids = model.requests[1]?.messages.flatMap((message) =>
    message.role === 'toolResult' ? [message.toolCallId] : [],
  )
  expect(new Set(ids).size).toBe(3)
  const [asked] = model.requests[1]?.messages.slice(1, 2) ?? []
  expect(asked).toMatchObject({ content: ids?.map((id) => ({ id })) })
})

test('[E4] the last allowed round is asked without tools and told why', async () => {
  const model = fakeModel(calls(['look']), calls(['look']), says('what I have'))
  const limits = { ...LOOP_LIMITS, requestBytes: 1_000_000, rounds: 2 }
  const loop = loopOf(model, { limits })
  expect(await run(loop)).toEqual({
    kind: 'answer',
    text: 'what I have',
    assistant: 102,
    bound: '2 rounds',
  })
  expect(model.requests.map((request) => request.tools.length)).toEqual([1, 1, 0])
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringContaining('bound of 2 rounds') as string,
  })
})

test('[E4] calls that come all the same are neither run nor stored', async () => {
  const loop = loopOf(fakeModel(calls(['look'])), {
    limits: { ...LOOP_LIMITS, requestBytes: 1_000_000, rounds: 1 },
  })
  const result = await run(loop)
  expect(result).toMatchObject({
    kind: 'answer',
    bound: '1 rounds',
    text: expect.stringMatching(/^Stopped after 1 rounds: /) as string,
  })
  expect(loop.log).toEqual(['store 0', 'run 0.0 look', 'store 1'])
  expect(loop.stored[1]).toMatchObject({ content: [{ type: 'text' }], stopReason: 'stop' })
})

test('calls past the bound are refused, and then comes the last word', async () => {
  const model = fakeModel(calls(['look'], ['look'], ['look']), says('enough'))
  const limits = { ...LOOP_LIMITS, requestBytes: 1_000_000, calls: 2 }
  const loop = loopOf(model, { limits })
  expect(await run(loop)).toMatchObject({ kind: 'answer', bound: '2 tool calls' })
  expect(loop.log).toEqual([
    'store 0',
    'run 0.0 look',
    'run 0.1 look',
    'run 0.2 look (the turn has had its 2 tool calls)',
    'store 1',
  ])
})

test('what an earlier attempt used up counts toward the bounds', async () => {
  const loop = loopOf(fakeModel(says('enough')), { begin: { rounds: 24, calls: 3 } })
  expect(await run(loop)).toMatchObject({ kind: 'answer', assistant: 124, bound: '24 rounds' })
})

test('when the time of the turn is over, it ends with a last word', async () => {
  const clock = fakeClock()
  const model = fakeModel(calls(['look']), says('late'))
  const loop = loopOf(model, {
    clock,
    runCall: async (_call, signal) => {
      await clock.sleep(20 * 60_000, signal)
      return { text: signal.aborted ? 'stopped' : 'ran on', isError: true, bad: false }
    },
  })
  expect(await clock.run(runToolLoop(loop))).toMatchObject({ text: 'late', bound: '15 minutes' })
  expect(model.requests[1]?.messages[2]).toMatchObject({ content: [{ text: 'stopped' }] })
})

test('a model that never ends its last word is given up', async () => {
  const clock = fakeClock()
  const trickle: Model['call'] = async (_request, { signal, onEvent }) => {
    while (!signal.aborted) {
      onEvent()
      await clock.sleep(10_000, signal)
    }
    return { status: 'aborted', partial: 'drip', usage: says('').usage, cost: 0 }
  }
  expect(await clock.run(runToolLoop(loopOf(fakeModel(trickle), { clock })))).toEqual({
    kind: 'failed',
    error: 'the turn took too long',
    partial: 'drip',
  })
  expect(clock.now() - 1_000_000).toBe(16 * 60_000)
})

test('an overloaded provider is asked again after 1, 2 and 4 seconds, and no more', async () => {
  const clock = fakeClock()
  const model = fakeModel(fails('503', { retryable: true, partial: 'ha' }))
  const loop = loopOf(model, { clock })
  expect(await run(loop)).toMatchObject({ kind: 'failed', error: '503', partial: 'ha' })
  expect(model.requests.length).toBe(4)
  expect(clock.now() - 1_000_000).toBe(7_000)
  expect(loop.log).toEqual([])
  expect(loop.shown).toEqual(['/', '/', '/'])
})

test('a provider that says when is asked then, but not later than a minute', async () => {
  const clock = fakeClock()
  const model = fakeModel(
    fails('429', { retryable: true, retryAfter: 9_000 }),
    fails('429', { retryable: true, retryAfter: 3_600_000 }),
    says('here'),
  )
  expect(await clock.run(runToolLoop(loopOf(model, { clock })))).toMatchObject({ text: 'here' })
  expect(clock.now() - 1_000_000).toBe(69_000)
})

test('a provider that asks for no patience is not asked at once for that', async () => {
  const clock = fakeClock()
  const model = fakeModel(fails('429', { retryable: true, retryAfter: 0 }), says('here'))
  expect(await clock.run(runToolLoop(loopOf(model, { clock })))).toMatchObject({ text: 'here' })
  expect(clock.now() - 1_000_000).toBe(1_000)
})

test('a provider that has been down for others is not asked, and the error says until when', async () => {
  const circuit = createCircuit('fake/model', () => 0)
  const down = fails('503', { retryable: true, down: true })
  for (let time = 0; time < 4; time += 1) circuit.heard(down)
  const model = { ...fakeModel(down), circuit }
  const notAsked = {
    kind: 'failed',
    error: 'fake/model is not answering; it is asked again at 00:00:15 UTC (503)',
    partial: '',
  }
  expect(await run(loopOf(model))).toMatchObject(notAsked)
  expect(model.requests.length).toBe(1)
  expect(await run(loopOf(model))).toMatchObject(notAsked)
  expect(model.requests.length).toBe(1)
})

test('silence counts as being down', async () => {
  const circuit = createCircuit('fake/model', () => 0)
  const model = { ...fakeModel(hangs()), circuit }
  expect(await run(loopOf(model))).toMatchObject({ error: 'fake/model was silent for 60 s' })
  expect(await run(loopOf(model))).toMatchObject({
    error: expect.stringContaining('(fake/model was silent for 60 s)') as string,
  })
  expect(model.requests.length).toBe(5)
})

test('an error that will not pass is not asked about again', async () => {
  const model = fakeModel(fails('401'))
  expect(await run(loopOf(model))).toEqual({
    kind: 'failed',
    error: '401',
    partial: '',
    overflow: false,
  })
  expect(model.requests.length).toBe(1)
})

test('a stream that stays silent for a minute is given up and asked again', async () => {
  const clock = fakeClock()
  const model = fakeModel(hangs('half'), says('whole'))
  const loop = loopOf(model, { clock })
  expect(await run(loop)).toMatchObject({ text: 'whole' })
  expect(clock.now() - 1_000_000).toBe(61_000)
  expect(loop.shown).toEqual(['half', '/'])
})

test('a slow stream lives as long as something comes', async () => {
  const clock = fakeClock()
  const slow: Model['call'] = async (_request, { signal, onEvent }) => {
    for (let word = 0; word < 5; word += 1) {
      await clock.sleep(50_000, signal)
      onEvent()
    }
    return says('slowly')
  }
  const model = fakeModel(slow)
  expect(await clock.run(runToolLoop(loopOf(model, { clock })))).toMatchObject({ text: 'slowly' })
  expect(model.requests.length).toBe(1)
})

test('an answer that was cut at the output limit is no answer, and is kept apart', async () => {
  const loop = loopOf(fakeModel(says('half an ans', { stopReason: 'length' })))
  expect(await run(loop)).toEqual({
    kind: 'failed',
    error: 'the answer of fake/model was cut at its output limit',
    partial: 'half an ans',
  })
  expect(loop.log).toEqual([])
})

test('calls of a reply that was cut do not run', async () => {
  const cut = calls(['look'], ['look'])
  const message = cut.status === 'ok' ? cut.message : undefined
  const loop = loopOf(
    fakeModel(replies(message?.content ?? [], { stopReason: 'length' }), says('again')),
  )
  expect(await run(loop)).toMatchObject({ text: 'again' })
  const why = '(the reply was cut at its output limit, so nothing of it was run)'
  expect(loop.log).toEqual(['store 0', `run 0.0 look ${why}`, `run 0.1 look ${why}`, 'store 1'])
})

test('a model whose replies are cut again and again is given up', async () => {
  const cut = replies([{ type: 'toolCall', id: 'a', name: 'look', arguments: {} }], {
    stopReason: 'length',
  })
  const model = fakeModel(cut)
  expect(await run(loopOf(model))).toMatchObject({ kind: 'failed' })
  expect(model.requests.length).toBe(3)
})

test('a tool may end the turn; what was called behind it does not run', async () => {
  const loop = loopOf(fakeModel(calls(['pass'], ['look'])), {
    async runCall({ call, refusal }) {
      loop.log.push(`${call.name} ${refusal ?? 'ran'}`)
      return call.name === 'pass'
        ? { text: 'not mine', isError: false, bad: false, passed: { reason: 'not mine' } }
        : { text: '', isError: true, bad: false }
    },
  })
  expect(await run(loop)).toEqual({ kind: 'passed', reason: 'not mine' })
  expect(loop.log).toEqual(['store 0', 'pass ran', 'look the turn has ended before this call'])
})

test('three rounds in a row without one good call fail the turn, and a good one starts the count anew', async () => {
  const bad = { text: 'unknown_tool: no', isError: true, bad: true }
  const good = { text: 'ok', isError: false, bad: false }
  const outcomes = [bad, bad, good, bad, bad, bad]
  const model = fakeModel(calls(['look']))
  const loop = loopOf(model, { runCall: async () => outcomes.shift() ?? good })
  expect(await run(loop)).toEqual({
    kind: 'failed',
    error: 'no call could be run 3 times in a row: unknown_tool: no',
    partial: '',
  })
  expect(model.requests.length).toBe(6)
})

test('a bad call beside a good one does not count', async () => {
  const model = fakeModel(...Array.from({ length: 4 }, () => calls(['look'], ['oops'])), says('ok'))
  const loop = loopOf(model, {
    runCall: async ({ call }) => ({ text: '', isError: true, bad: call.name === 'oops' }),
  })
  expect(await run(loop)).toMatchObject({ text: 'ok' })
})

test('Stop while the model writes cancels the turn and keeps what was written', async () => {
  const stop = new AbortController()
  const model = fakeModel(async (request, options) => {
    const reply = hangs('I was ab')(request, options)
    stop.abort()
    return reply
  })
  const loop = loopOf(model, { signal: stop.signal })
  expect(await run(loop)).toEqual({ kind: 'cancelled', because: 'stopped', partial: 'I was ab' })
})

test('Stop during a wait for the provider asks no more', async () => {
  const stop = new AbortController()
  const model = fakeModel(async () => {
    stop.abort()
    return fails('503', { retryable: true })
  })
  expect(await run(loopOf(model, { signal: stop.signal }))).toMatchObject({ kind: 'cancelled' })
  expect(model.requests.length).toBe(1)
})

test('Stop during a tool runs no further call', async () => {
  const stop = new AbortController()
  const loop = loopOf(fakeModel(calls(['look'], ['look'])), {
    signal: stop.signal,
    async runCall(_call, signal) {
      stop.abort()
      loop.log.push(`aborted: ${signal.aborted}`)
      return { text: '', isError: true, bad: false }
    },
  })
  expect(await run(loop)).toEqual({ kind: 'cancelled', because: 'stopped', partial: '' })
  expect(loop.log).toEqual(['store 0', 'aborted: true'])
})

test('what is asked between rounds may end the turn before the next request', async () => {
  const model = fakeModel(calls(['look']))
  const ends: (LoopResult | undefined)[] = [
    undefined,
    undefined,
    { kind: 'cancelled', because: 'cause_deleted', partial: '' },
  ]
  const loop = loopOf(model, { betweenRounds: async () => ends.shift() })
  expect(await run(loop)).toEqual({ kind: 'cancelled', because: 'cause_deleted', partial: '' })
  expect(model.requests.length).toBe(1)
  expect(loop.log).toEqual(['store 0', 'run 0.0 look'])
})

test.each([
  ['calls', calls(['look'])],
  ['an answer', says('the answer')],
])('a cause that is deleted while the model writes %s leaves nothing of it', async (_, reply) => {
  const ends: (LoopResult | undefined)[] = [
    undefined,
    { kind: 'cancelled', because: 'cause_deleted', partial: '' },
  ]
  const loop = loopOf(fakeModel(reply), { betweenRounds: async () => ends.shift() })
  expect(await run(loop)).toEqual({ kind: 'cancelled', because: 'cause_deleted', partial: '' })
  expect(loop.log).toEqual([])
})

test('a provider that refuses its old thinking gets the history without it, then as text', async () => {
  const thinking = { type: 'thinking', thinking: 'hm' } as const
  const look = { type: 'toolCall', id: 'a', name: 'look', arguments: {} } as const
  const model = fakeModel(
    replies([thinking, { type: 'text', text: 'I look' }, look], { stopReason: 'toolUse' }),
    fails('400: invalid signature in thinking block'),
    fails('400: messages.1: expected thinking'),
    says('done'),
  )
  expect(await run(loopOf(model))).toMatchObject({ text: 'done' })
  const roles = model.requests.map((request) =>
    request.messages.map((message) =>
      message.role === 'assistant'
        ? message.content.map((block) => block.type).join('+')
        : message.role,
    ),
  )
  expect(roles.slice(1)).toEqual([
    ['user', 'thinking+text+toolCall', 'toolResult'],
    ['user', 'text+toolCall', 'toolResult'],
    ['user', 'text', 'user'],
  ])
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    content: 'Your call of look answered:\n| look done',
  })
})

test('a history that was refused in one form is not told in it again', async () => {
  const thinking = { type: 'thinking', thinking: 'hm' } as const
  const look = { type: 'toolCall', id: 'a', name: 'look', arguments: {} } as const
  const thoughtful = replies([thinking, look], { stopReason: 'toolUse' })
  const model = fakeModel(
    thoughtful,
    fails('400: invalid signature in thinking block'),
    thoughtful,
    says('done'),
  )
  expect(await run(loopOf(model))).toMatchObject({ text: 'done' })
  expect(
    model.requests.map((request) =>
      request.messages.flatMap((message) =>
        message.role === 'assistant' ? [message.content.map(({ type }) => type).join('+')] : [],
      ),
    ),
  ).toEqual([[], ['thinking+toolCall'], ['toolCall'], ['toolCall', 'thinking+toolCall']])
})

test('a provider that refuses its history in every form interrupts the turn', async () => {
  const thinking = { type: 'thinking', thinking: 'hm' } as const
  const look = { type: 'toolCall', id: 'a', name: 'look', arguments: {} } as const
  const refusal = fails('400: invalid signature in thinking block')
  const model = fakeModel(replies([thinking, look], { stopReason: 'toolUse' }), refusal)
  expect(await run(loopOf(model))).toEqual({
    kind: 'interrupted',
    because: 'history_refused',
    error: '400: invalid signature in thinking block',
  })
  expect(model.requests.length).toBe(4)
})

test('a request that grows too large loses the middle of its oldest results first', async () => {
  const model = fakeModel(calls(['look']), calls(['look']), calls(['look']), says('done'))
  const loop = loopOf(model, {
    limits: { ...LOOP_LIMITS, requestBytes: 25_000 },
    runCall: async () => ({ text: 'x'.repeat(10_000), isError: false, bad: false }),
  })
  expect(await run(loop)).toMatchObject({ text: 'done' })
  const sizes = model.requests
    .at(-1)
    ?.messages.flatMap((message) =>
      message.role === 'toolResult' ? [message.content[0]?.text.length ?? 0] : [],
    )
  expect(sizes?.map((size) => size < 1_100)).toEqual([true, true, false])
})
