import { type Entry, toActorId, toOffset } from '@arbe/sdk'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { storyteller } from '../../../test/support/entries.ts'
import type { ModelMessage } from '../models/model.ts'
import { buildMessages } from './build-messages.ts'
import { distinctCallIds } from './distinct-call-ids.ts'
import { BYTES_PER_TOKEN, sizeOf } from './message-size.ts'

/** One event of a made-up thread; `turn` numbers are decisions of ann's. */
const eventArbitrary = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('say'),
      who: fc.constantFrom('mia', 'ben', 'coder'),
      text: fc.string({ unit: 'binary', maxLength: 40 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('long'), chars: fc.nat(20_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('round'),
      turn: fc.nat(4),
      calls: fc.array(fc.constantFrom('', 'a', 'a', 'b'), { maxLength: 3 }),
      stop: fc.constantFrom('toolUse', 'stop', 'error', 'aborted', 'length'),
      broken: fc.boolean(),
      text: fc.constantFrom('', ' ', 'I say'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('result'),
      turn: fc.nat(4),
      round: fc.nat(3),
      index: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reply'), turn: fc.nat(4), to: fc.nat(30) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), target: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit'), target: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ask') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('signal') }) },
)

type Event = typeof eventArbitrary extends fc.Arbitrary<infer Value> ? Value : never

const CURRENT = 4
const SIGNAL_TEXT = 'SIGNAL-7f3a'

function tell(events: readonly Event[]): readonly Entry[] {
  const story = storyteller()
  const rounds = new Map<number, number>()
  return events.map((event) => {
    switch (event.kind) {
      case 'say':
        return story.add('chat', event.who, { text: event.text })
      case 'long':
        return story.add('chat', 'mia', { text: 'x'.repeat(event.chars) })
      case 'round': {
        const round = rounds.get(event.turn) ?? 0
        rounds.set(event.turn, round + 1)
        const calls = event.calls.map((id, index) => ({
          type: 'toolCall',
          id,
          name: 'look',
          arguments: {},
          ...(event.broken && index === 0 ? { argumentsError: 'no' } : {}),
        }))
        const content = [{ type: 'text', text: event.text }, ...calls]
        const message = {
          role: 'assistant' as const,
          content,
          stopReason: event.stop,
          timestamp: 1,
        }
        return story.add(
          'pi.assistant',
          'ann',
          { decision: event.turn, round, ms: 1, message },
          { causedBy: event.turn },
        )
      }
      case 'result':
        return story.add(
          'pi.tool_result',
          'ann',
          {
            decision: event.turn,
            round: event.round,
            index: event.index,
            callId: 'a',
            tool: 'look',
            text: 'r',
            isError: false,
            ms: 1,
          },
          { causedBy: event.turn },
        )
      case 'reply':
        return story.add(
          'chat',
          'ann',
          { text: 'I say', assistant: toOffset(event.to) },
          { causedBy: event.turn },
        )
      case 'delete':
        return story.add('chat.delete', 'mia', { target: toOffset(event.target) })
      case 'edit':
        return story.add('chat.edit', 'mia', { target: toOffset(event.target), text: 'edited' })
      case 'ask':
        return story.add('thread.ask', 'mia', { bot: 'ann' })
      case 'signal':
        return story.add('thread.title', 'mia', { title: SIGNAL_TEXT })
    }
  })
}

const situation = fc
  .record({
    events: fc.array(eventArbitrary, { maxLength: 40 }),
    from: fc.nat(40),
    span: fc.nat(20),
    more: fc.nat(5),
    budgetTokens: fc.integer({ min: 3_000, max: 12_000 }),
  })
  .map(({ events, from, span, more, budgetTokens }) => {
    const to = from + span
    const decision = {
      d: CURRENT,
      from: toOffset(from),
      to: toOffset(to),
      seen: toOffset(to + more),
      requests: [],
    }
    const entries = tell(events)
    const view = {
      botId: toActorId('ann'),
      decision,
      names: new Map(),
      handles: new Map(),
      after: 0,
      budgetTokens,
    }
    return { entries, decision, messages: buildMessages(entries, view), budgetTokens }
  })

const idsOf = (message: ModelMessage | undefined): readonly string[] =>
  message?.role === 'assistant'
    ? message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []))
    : []

const resultId = (message: ModelMessage): string | undefined =>
  message.role === 'toolResult' ? message.toolCallId : undefined

/** Every text of a message, its own and those of its blocks. */
const textsOf = (message: ModelMessage): readonly string[] =>
  message.role === 'user'
    ? [message.content]
    : message.content.map((block) => (block.type === 'text' ? block.text : block.type))

describe('for every interleaving', () => {
  test('[E1] [E15] every result directly follows its call, in the order of the calls', () => {
    fc.assert(
      fc.property(situation, ({ messages }) => {
        const sent = distinctCallIds(messages)
        for (const [index, message] of sent.entries()) {
          const results = sent.slice(index + 1).map(resultId)
          const called = idsOf(message)
          expect(results.slice(0, called.length)).toEqual(called)
        }
        expect(sent.flatMap((message) => resultId(message) ?? [])).toEqual(sent.flatMap(idsOf))
        const all = sent.flatMap(idsOf)
        expect(new Set(all).size).toBe(all.length)
        expect(all).not.toContain('')
      }),
      { numRuns: 150 },
    )
  })

  test('[P-10] [E6] the request begins and ends in the user role, and roles alternate', () => {
    fc.assert(
      fc.property(situation, ({ messages }) => {
        expect(messages[0]?.role).toBe('user')
        expect(messages.at(-1)?.role).not.toBe('assistant')
        const speakers = messages.map(({ role }) => role).filter((role) => role !== 'toolResult')
        const doubled = messages.filter(
          ({ role }, index) => role !== 'toolResult' && role === messages[index - 1]?.role,
        )
        expect(doubled).toEqual([])
        expect(speakers[0]).toBe('user')
      }),
      { numRuns: 150 },
    )
  })

  test('[E5] no block is empty, and no message is', () => {
    fc.assert(
      fc.property(situation, ({ messages }) => {
        const texts = messages.map(textsOf)
        expect(texts.every((one) => one.length > 0)).toBe(true)
        expect(texts.flat().every((text) => text.trim() !== '')).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('[P-10] [E11] the request stays within its budget, and everything covered is in it', () => {
    fc.assert(
      fc.property(situation, ({ entries, decision, messages, budgetTokens }) => {
        const size = messages.reduce((sum, message) => sum + sizeOf(message), 0)
        expect(size).toBeLessThanOrEqual(budgetTokens * BYTES_PER_TOKEN)
        const told = messages.map((message) => JSON.stringify(message.content)).join('')
        const deleted = new Set(
          entries.flatMap((entry) =>
            entry.kind === 'chat.delete' && entry.seq <= decision.seen ? [entry.body.target] : [],
          ),
        )
        for (const entry of entries) {
          const covered = entry.seq > decision.from && entry.seq <= decision.to
          if (entry.kind !== 'chat' || entry.authorId === 'ann' || !covered) continue
          expect(told.includes(`\\"n\\":${entry.seq},`)).toBe(!deleted.has(entry.seq))
        }
      }),
      { numRuns: 150 },
    )
  })

  test('[P-10] nothing of an entry enters that is not for its readers', () => {
    fc.assert(
      fc.property(situation, ({ messages }) => {
        const text = JSON.stringify(messages)
        expect(text).not.toMatch(/authorKind|causedBy|houseId|thr_1|key:\d|"hops|"wakes/)
      }),
      { numRuns: 100 },
    )
  })

  test('[P-10] [C11] no signal enters, and only arbe heads a line', () => {
    fc.assert(
      fc.property(situation, ({ messages }) => {
        for (const message of messages) {
          if (message.role !== 'user') continue
          expect(message.content).not.toContain(SIGNAL_TEXT)
          for (const line of message.content.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)) {
            const ours = line === '' || line.startsWith('| ') || /^\{"(?:from|note)":/.test(line)
            expect(ours).toBe(true)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a long thread', () => {
  const view = (last: number, after = 0) => ({
    botId: toActorId('ann'),
    decision: {
      d: 1,
      from: toOffset(last - 1),
      to: toOffset(last),
      seen: toOffset(last),
      requests: [],
    },
    names: new Map(),
    handles: new Map(),
    after,
    budgetTokens: 3_000,
  })
  const story = storyteller()
  const entries = Array.from({ length: 1_000 }, (_, at) =>
    story.add('chat', 'mia', { text: `message ${at + 1} of many` }),
  )
  const built = (count: number): string =>
    JSON.stringify(buildMessages(entries.slice(0, count), view(count)))
  const firstNumber = (text: string): number => Number(/\\"n\\":(\d+)/.exec(text)?.[1])

  test('is cut in steps, so that its beginning stays the same while it grows', () => {
    const starts = Array.from({ length: 60 }, (_, at) => firstNumber(built(700 + 5 * at)))
    expect(new Set(starts.map((start) => (start - 1) % 64))).toEqual(new Set([0]))
    expect(new Set(starts).size).toBeLessThanOrEqual(6)
  })

  test('says that it was cut, and a short one does not', () => {
    expect(built(1_000)).toContain('Earlier messages of this thread are left out here.')
    expect(built(20)).not.toContain('left out')
  })

  test('is cut before what the decision does not cover, also where that is much', () => {
    const decision = { ...view(1).decision, to: toOffset(1), seen: toOffset(1_000) }
    const text = JSON.stringify(buildMessages(entries, { ...view(1), decision }))
    expect(text.length).toBeLessThan(3_000 * BYTES_PER_TOKEN)
    expect([text.includes('message 1 of'), text.includes('message 2 of')]).toEqual([true, false])
  })

  test('loses what was answered before, its own words too, when what is new is long', () => {
    const said = storyteller()
    const few = [
      said.add('chat', 'mia', { text: 'old question' }),
      said.add('chat', 'ann', { text: 'old answer' }),
      said.add('chat', 'mia', { text: 'answered already' }),
      said.add('chat', 'mia', { text: 'y'.repeat(11_250) }),
    ]
    const text = JSON.stringify(buildMessages(few, view(4)))
    const told = ['old question', 'old answer', 'answered already', 'y'.repeat(11_250)]
    expect(told.map((one) => text.includes(one))).toEqual([false, false, false, true])
  })

  test('is the same whether all of it was read or only its end', () => {
    const end = entries.slice(600)
    const whole = buildMessages(entries, view(1_000))
    expect(buildMessages(end, view(1_000, 600))).toEqual(whole)
  })

  test('that was read from the middle is cut at a step too', () => {
    const roomy = { ...view(1_000, 900), budgetTokens: 30_000 }
    expect(firstNumber(JSON.stringify(buildMessages(entries.slice(900), roomy)))).toBe(961)
  })

  test('[E11] keeps head and tail of a covered text that is too long, and says what is gone', () => {
    const big = story.add('chat', 'ben', { text: `begin ${'x'.repeat(1_000_000)} end` })
    const text = JSON.stringify(buildMessages([...entries, big], view(1_001)))
    expect(text.length).toBeLessThan(3_000 * BYTES_PER_TOKEN)
    expect(text).toMatch(
      /\| begin x+\\n\| \[… \d+ of 1000010 bytes are left out here …\]\\n\| x+ end/,
    )
  })
})
