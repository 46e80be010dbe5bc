import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import { createCircuit } from '../models/circuit.ts'
import type { AssistantBlock, Model, ModelReply, ModelRequest } from '../models/model.ts'
import {
  type DecisionLedger,
  decidePaid,
  type PaidDecision,
  requireDecideTool,
} from './thread-director-decision.ts'
import { draftDecision } from './thread-director-draft.ts'
import type { PaidQuestion } from './thread-director-rules.ts'

const usage = { input: 10, output: 2, cacheRead: 1, cacheWrite: 3 }

function replying(content: readonly AssistantBlock[]): ModelReply {
  const message = { role: 'assistant', content, stopReason: 'toolUse', timestamp: 0 } as const
  return { status: 'ok', message, usage, cost: 0.01 }
}
const picks = (pick: string): ModelReply =>
  replying([{ type: 'toolCall', id: '1', name: 'decide', arguments: { pick, reason: 'fits' } }])
const writes = (text: string): ModelReply => replying([{ type: 'text', text }])
const fails = (over: Partial<Extract<ModelReply, { status: 'failed' }>> = {}): ModelReply => ({
  status: 'failed',
  error: 'HTTP 503',
  retryable: true,
  partial: '',
  usage,
  cost: 0.02,
  ...over,
})

type Reply = ModelReply | ((signal: AbortSignal) => Promise<ModelReply>)

/** Answers with each reply in turn, and with the last for ever. */
function fakeModel(...replies: readonly Reply[]) {
  const requests: ModelRequest[] = []
  const model: Model = {
    id: 'test/test',
    demo: false,
    price: usage,
    contextWindow: 100_000,
    async call(request, { signal, onEvent }) {
      onEvent()
      const reply = replies[Math.min(requests.length, replies.length - 1)]
      requests.push(request)
      if (reply === undefined) throw new Error('no reply was scripted')
      return typeof reply === 'function' ? await reply(signal) : reply
    },
  }
  return { model, requests }
}

/** Time passes only by waiting. The time limit of a call ends it only when `slow` says so. */
function fakeClock() {
  let now = 1_000
  const waits: number[] = []
  return {
    waits,
    slow: false,
    now: () => now,
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      if (ms === 20_000 && !this.slow) {
        await untilAborted(signal)
        return
      }
      if (ms !== 20_000) waits.push(ms)
      now += ms
    },
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const hangs = async (signal: AbortSignal): Promise<ModelReply> => {
  await untilAborted(signal)
  return { status: 'aborted', partial: '', usage, cost: 0.005 }
}

function fakeLedger(): DecisionLedger & { readonly rows: string[] } {
  const rows: string[] = []
  let calls = 0
  return {
    rows,
    async before({ model }) {
      calls += 1
      rows.push(`before ${model}`)
      return { status: 'open', id: `call-${calls}` }
    },
    async after(id, { cost, usage: used, error }) {
      rows.push(`after ${id} $${cost} ${used.input} ${error ?? 'ok'}`)
    },
  }
}

const question: PaidQuestion = {
  kind: 'paid',
  candidates: [agent('ann'), agent('bo')],
  nobodyAllowed: true,
}

function asking(model: Model, over: Partial<PaidDecision> = {}): PaidDecision {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo'), bot('cy', { mode: 'mention' })] })
  thread.say('mia', 'who knows Go?')
  return {
    view: thread.view(),
    question,
    model,
    ledger: fakeLedger(),
    random: () => 0,
    signal: new AbortController().signal,
    onAbort: 'cut_call',
    clock: fakeClock(),
    ...over,
  }
}

describe('a model that answers', () => {
  test('[A1] decides with one call', async () => {
    const { model, requests } = fakeModel(picks(' c2\n'))
    expect(await decidePaid(asking(model))).toEqual({
      kind: 'paid',
      question,
      speaker: agent('bo'),
      reason: 'fits',
      model: 'test/test',
      usage,
      cost: 0.01,
      salvaged: false,
    })
    expect(requests).toHaveLength(1)
  })

  test('may choose nobody', async () => {
    const { model } = fakeModel(picks('nobody'))
    expect(await decidePaid(asking(model))).toMatchObject({ kind: 'paid', speaker: null })
  })

  test('[A2] in text is understood and marked as such', async () => {
    const { model } = fakeModel(writes('\u001B[33m**Role: bo**\u001B[0m'))
    expect(await decidePaid(asking(model))).toMatchObject({
      kind: 'paid',
      speaker: agent('bo'),
      salvaged: true,
    })
  })

  test('[A3] with two names is asked once more, told what was wrong, with new ids', async () => {
    const deals = [0.1, 0.2, 0.2, 0.1]
    const { model, requests } = fakeModel(writes('ann or bo'), picks('c1'))
    const answer = await decidePaid(asking(model, { random: () => deals.shift() ?? 0 }))
    expect(answer).toMatchObject({
      kind: 'paid',
      speaker: agent('bo'),
      usage: { input: 20, output: 4, cacheRead: 2, cacheWrite: 6 },
      cost: 0.02,
    })
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1_024, 2_048])
    const [first, second] = requests.map(({ messages }) => JSON.stringify(messages))
    expect(first).not.toContain('could not be used')
    expect(second).toContain('could not be used: it named more than one.')
  })

  test.each([
    ['[A3]', writes('ann or bo'), 'it named more than one'],
    ['[A7]', writes('[{"id":"zzz"}]'), 'it named no candidate'],
    ['[A6]', picks('c9'), 'it named no candidate'],
    ['[A12]', picks('cy'), 'it named no candidate'],
    ['[A4]', writes('<think>ann'), 'it never stopped thinking'],
    ['[A11]', replying([]), 'it answered nothing'],
  ])('%s that never names one candidate leaves the range undecided', async (_, reply, problem) => {
    const { model, requests } = fakeModel(reply)
    expect(await decidePaid(asking(model))).toEqual({
      kind: 'undecided',
      rule: 'no_answer',
      question,
      model: 'test/test',
      usage: { input: 20, output: 4, cacheRead: 2, cacheWrite: 6 },
      cost: 0.02,
      reason: `the model answered twice with no candidate: ${problem}`,
    })
    expect(requests).toHaveLength(2)
  })

  test('[A11] has room for an answer besides its thoughts', async () => {
    const { model, requests } = fakeModel(picks('c1'))
    await decidePaid(asking(model))
    expect(requests[0]?.maxOutputTokens).toBeGreaterThanOrEqual(1_024)
    expect(requests[0]?.forceTool).toBe('decide')
  })

  test('[A10] cut off before its choice is asked once more with more room, then left undecided', async () => {
    const cut: ModelReply = {
      status: 'ok',
      message: { role: 'assistant', content: [], stopReason: 'length', timestamp: 0 },
      usage,
      cost: 0.01,
    }
    const { model, requests } = fakeModel(cut)
    expect(await decidePaid(asking(model))).toMatchObject({
      kind: 'undecided',
      rule: 'no_answer',
      reason: 'the model answered twice with no candidate: it ran out of room before it chose',
    })
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1_024, 2_048])
  })

  test('stands in the ledger before each call, and with its price after it', async () => {
    const { model } = fakeModel(writes('ann or bo'), picks('c1'))
    const ledger = fakeLedger()
    await decidePaid(asking(model, { ledger }))
    expect(ledger.rows).toEqual([
      'before test/test',
      'after call-1 $0.01 10 ok',
      'before test/test',
      'after call-2 $0.01 10 ok',
    ])
  })
})

describe('a model that is down', () => {
  test('[K5] is asked again with growing pauses for two minutes, then the range is undecided', async () => {
    const { model, requests } = fakeModel(fails())
    const clock = fakeClock()
    const ledger = fakeLedger()
    const answer = await decidePaid(asking(model, { clock, ledger }))
    expect(clock.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect(requests).toHaveLength(8)
    expect(ledger.rows.slice(0, 2)).toEqual(['before test/test', 'after call-1 $0.02 10 HTTP 503'])
    expect(answer).toEqual({
      kind: 'undecided',
      rule: 'unavailable',
      question,
      model: 'test/test',
      usage: { input: 80, output: 16, cacheRead: 8, cacheWrite: 24 },
      cost: expect.closeTo(0.16),
      reason: 'the model could not be reached for two minutes',
      error: 'HTTP 503',
    })
  })

  test('[K5] and comes back decides', async () => {
    const { model } = fakeModel(fails(), fails(), picks('c1'))
    const clock = fakeClock()
    expect(await decidePaid(asking(model, { clock }))).toMatchObject({
      kind: 'paid',
      speaker: agent('ann'),
      cost: 0.05,
    })
    expect(clock.waits).toEqual([1_000, 2_000])
  })

  test('is given the pause it asks for, unless that is too long', async () => {
    const clock = fakeClock()
    const patient = fakeModel(
      fails({ retryAfter: 90_000 }),
      fails({ retryAfter: 500 }),
      picks('c1'),
    )
    await decidePaid(asking(patient.model, { clock }))
    expect(clock.waits).toEqual([90_000, 2_000])

    const exact = fakeClock()
    await decidePaid(asking(fakeModel(fails({ retryAfter: 120_000 })).model, { clock: exact }))
    expect(exact.waits).toEqual([120_000])

    const never = fakeClock()
    await decidePaid(asking(fakeModel(fails({ retryAfter: 120_001 })).model, { clock: never }))
    expect(never.waits).toEqual([])
  })

  test('for good is not asked again', async () => {
    const { model, requests } = fakeModel(fails({ retryable: false, error: 'invalid key' }))
    expect(await decidePaid(asking(model))).toMatchObject({
      kind: 'undecided',
      rule: 'unavailable',
      reason: 'the model refused to answer',
      error: 'invalid key',
    })
    expect(requests).toHaveLength(1)
  })

  test('[K5] is cut off after twenty seconds and asked again', async () => {
    const clock = { ...fakeClock(), slow: true }
    const { model, requests } = fakeModel(hangs)
    const ledger = fakeLedger()
    const answer = await decidePaid(asking(model, { clock, ledger }))
    expect(answer).toMatchObject({
      kind: 'undecided',
      rule: 'unavailable',
      error: 'test/test did not answer within 20 s',
    })
    // 20 s a call: 20 + 1 + 20 + 2 + 20 + 4 + 20 + 8 + 20, and 16 more would pass two minutes.
    expect(requests).toHaveLength(5)
    expect(clock.waits).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(ledger.rows[1]).toBe('after call-1 $0.005 10 test/test did not answer within 20 s')
  })
})

describe('a model that has been down for others', () => {
  const spared = (failures: number) => {
    const circuit = createCircuit('test/test', () => 0)
    for (let time = 0; time < failures; time += 1) circuit.heard(fails({ down: true }))
    const { model, requests } = fakeModel(fails({ down: true }))
    return { model: { ...model, circuit }, requests }
  }
  const error = 'test/test is not answering; it is asked again at 00:00:15 UTC (HTTP 503)'

  test('is not asked, costs nothing and is not held against the model', async () => {
    const { model, requests } = spared(5)
    const ledger = fakeLedger()
    expect(await decidePaid(asking(model, { ledger }))).toEqual({
      kind: 'undecided',
      rule: 'unavailable',
      reason: 'the model is not answering',
      error,
      question,
      model: 'test/test',
      cost: 0,
    })
    expect([requests.length, ledger.rows]).toEqual([0, []])
  })

  test('is not waited for any longer once its provider is spared', async () => {
    const { model, requests } = spared(4)
    expect(await decidePaid(asking(model))).toMatchObject({
      kind: 'undecided',
      reason: 'the model stopped answering',
      error,
      cost: 0.02,
      usage,
    })
    expect(requests).toHaveLength(1)
  })
})

describe('a lease that is lost', () => {
  test('ends the call, which is still settled in the ledger, and decides nothing', async () => {
    const lease = new AbortController()
    const ledger = fakeLedger()
    const { model } = fakeModel((signal) => {
      lease.abort(new Error('lease lost'))
      return hangs(signal)
    })
    await expect(decidePaid(asking(model, { ledger, signal: lease.signal }))).rejects.toThrow(
      'lease lost',
    )
    expect(ledger.rows).toHaveLength(2)
  })

  test('ends the pause between two calls', async () => {
    const lease = new AbortController()
    const clock = fakeClock()
    const { model, requests } = fakeModel(fails())
    const sleep = clock.sleep.bind(clock)
    clock.sleep = async (ms, signal) => {
      if (ms === 1_000) lease.abort(new Error('lease lost'))
      await sleep(ms, signal)
    }
    await expect(decidePaid(asking(model, { clock, signal: lease.signal }))).rejects.toThrow(
      'lease lost',
    )
    expect(requests).toHaveLength(1)
  })
})

describe('an asker that goes away', () => {
  test('lets the call under way end, so that its bill is in the books, and gets no answer', async () => {
    const asker = new AbortController()
    const ledger = fakeLedger()
    const { model, requests } = fakeModel(async (signal) => {
      asker.abort(new Error('gone'))
      return signal.aborted ? await hangs(signal) : picks('c1')
    })
    const asked = asking(model, { ledger, signal: asker.signal, onAbort: 'end_call' })
    await expect(decidePaid(asked)).rejects.toThrow('gone')
    expect(ledger.rows).toEqual(['before test/test', 'after call-1 $0.01 10 ok'])
    expect(requests).toHaveLength(1)
  })

  test('before anything was asked, is asked for nothing', async () => {
    const ledger = fakeLedger()
    const signal = AbortSignal.abort(new Error('gone'))
    const { model } = fakeModel(picks('c1'))
    const asked = asking(model, { ledger, signal, onAbort: 'end_call' })
    await expect(decidePaid(asked)).rejects.toThrow('gone')
    expect(ledger.rows).toEqual([])
  })
})

test('[K4] a spent budget is nobody, without a call', async () => {
  const { model, requests } = fakeModel(picks('c1'))
  const ledger: DecisionLedger = {
    before: async () => ({ status: 'budget_spent' }),
    after: async () => undefined,
  }
  expect(await decidePaid(asking(model, { ledger }))).toEqual({
    kind: 'free',
    rule: 'budget_spent',
    speaker: null,
    about: [],
  })
  expect(requests).toEqual([])
})

test('[K4] a budget that is reached by an answer of no use is nobody, and that answer is told as paid', async () => {
  const { model, requests } = fakeModel(picks('c9'))
  const ledger: DecisionLedger = {
    before: async () =>
      requests.length === 0 ? { status: 'open', id: 'call-1' } : { status: 'budget_spent' },
    after: async () => undefined,
  }
  const asked = asking(model, { ledger })
  const answer = await decidePaid(asked)
  expect(answer).toEqual({
    kind: 'free',
    rule: 'budget_spent',
    speaker: null,
    about: [],
    cost: 0.01,
  })
  expect(draftDecision(asked.view, answer, 0)).toMatchObject({ rule: 'budget_spent', cost: 0.01 })
})

test('a model that throws leaves no timer behind', async () => {
  const clock = fakeClock()
  let timers = 0
  const sleep = clock.sleep.bind(clock)
  clock.sleep = async (ms, signal) => {
    timers += 1
    await sleep(ms, signal)
    timers -= 1
  }
  const { model } = fakeModel(() => Promise.reject(new Error('a bug')))
  await expect(decidePaid(asking(model, { clock }))).rejects.toThrow('a bug')
  expect(timers).toBe(0)
})

test('[A16] a request that does not force the tool is refused before it is sent', async () => {
  const { model, requests } = fakeModel(picks('c1'))
  await decidePaid(asking(model))
  const [request] = requests
  if (request === undefined) throw new Error('nothing was sent')
  const { forceTool: _, ...unforced } = request
  expect(() => requireDecideTool(request)).not.toThrow()
  for (const bad of [{ ...request, tools: [] }, unforced, { ...request, forceTool: 'speak' }]) {
    expect(() => requireDecideTool(bad)).toThrow("a decision's request must force the tool decide")
  }
  const other = request.tools.map((tool) => ({ ...tool, name: 'speak' }))
  expect(() => requireDecideTool({ ...request, tools: other })).toThrow('must force')
})

describe('whatever a model answers', () => {
  // What models are known to write, around what would be a pick and in place of it.
  const names = [
    'ann',
    'bo',
    'cy',
    'c1',
    'c2',
    'c3',
    'c0',
    'nobody',
    'agt_cy',
    'mia',
    'Ann and bo',
    '',
  ]
  const said = fc.oneof(
    fc.constantFrom(...names),
    fc.string(),
    fc
      .tuple(
        fc.constantFrom('', '**', '<think>cy</think>', 'Speaker: ', '{"pick":"', '\u001B[1m'),
        fc.constantFrom(...names),
        fc.constantFrom('', '**', '.', '"}', ' because', '\n\ncy'),
      )
      .map((parts) => parts.join('')),
  )
  const call = fc.record({
    type: fc.constant('toolCall' as const),
    id: fc.string(),
    name: fc.constantFrom('decide', 'Decide', 'pass', ''),
    arguments: fc.oneof(
      fc.record({ pick: said, reason: fc.anything() }),
      fc.dictionary(fc.string(), fc.anything()),
      fc.record({ pick: fc.anything() }),
    ),
  })
  const block = fc.oneof(
    said.map((text) => ({ type: 'text' as const, text })),
    said.map((thinking) => ({ type: 'thinking' as const, thinking })),
    call,
  )
  const answers = fc.array(fc.array(block, { maxLength: 4 }).map(replying), {
    minLength: 2,
    maxLength: 2,
  })

  test('a candidate speaks, or nobody, or it is undecided, and no model is asked a third time', async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.boolean(), async (replies, nobodyAllowed) => {
        const { model, requests } = fakeModel(...replies)
        const asked = { ...question, nobodyAllowed }
        const answer = await decidePaid(asking(model, { question: asked }))
        const allowed = [...asked.candidates, ...(nobodyAllowed ? [null] : [])]
        const isHeld =
          answer.kind === 'paid' ? allowed.includes(answer.speaker) : answer.kind === 'undecided'
        expect(isHeld).toBe(true)
        expect(requests.length).toBeLessThanOrEqual(2)
      }),
      { numRuns: 2_000 },
    )
  })
})
