import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent } from '../../../test/support/director-trace.ts'
import type { AssistantBlock, AssistantMessage } from '../models/model.ts'
import { type Nameable, readDecisionAnswer } from './thread-director-pick.ts'

const named = (handle: string, name = handle) => ({ id: agent(handle), name, handle })
const nameable: Nameable = {
  idOf: new Map([
    ['c1', agent('ann')],
    ['c2', agent('ann-lee')],
    ['c3', agent('coder')],
    ['c4', agent('writer')],
    ['nobody', null],
  ]),
  bots: [
    named('ann'),
    named('ann-lee', 'Ann Lee'),
    named('coder'),
    named('writer', '写手'),
    named('out'),
  ],
}

function message(
  content: readonly AssistantBlock[],
  stopReason = 'stop' as const,
): AssistantMessage {
  return { role: 'assistant', content, stopReason, timestamp: 0 }
}
const calling = (args: Readonly<Record<string, unknown>>, name = 'decide'): AssistantBlock => ({
  type: 'toolCall',
  id: '1',
  name,
  arguments: args,
})
const called = (args: Readonly<Record<string, unknown>>, room = nameable) =>
  readDecisionAnswer(message([calling(args)]), room)
const wrote = (text: string, room = nameable) =>
  readDecisionAnswer(message([{ type: 'text', text }]), room)

const picked = (handle: string | null, over = {}) => ({
  status: 'picked',
  speaker: handle === null ? null : agent(handle),
  reason: '',
  salvaged: false,
  ...over,
})
const salvaged = (handle: string | null, over = {}) => picked(handle, { salvaged: true, ...over })
const problem = (text: string) => ({ status: 'problem', problem: text })

describe('a call of the tool', () => {
  test('picks a bot or nobody, with its reason', () => {
    expect(called({ pick: 'c1', reason: 'knows it' })).toEqual(
      picked('ann', { reason: 'knows it' }),
    )
    expect(called({ pick: 'nobody', reason: 'small talk' })).toEqual(
      picked(null, { reason: 'small talk' }),
    )
  })

  test('[A1] with space around the id picks the bot', () => {
    expect(called({ pick: ' c1\n' })).toEqual(picked('ann'))
  })

  test('without a usable reason still picks', () => {
    expect(called({ pick: 'c1', reason: 7 })).toEqual(picked('ann'))
  })

  test('with a name instead of an id is read as text is', () => {
    expect(called({ pick: '**coder**', reason: 'fits' })).toEqual(
      salvaged('coder', { reason: 'fits' }),
    )
    expect(called({ pick: 'c1 or c2' })).toEqual(problem('it named more than one'))
  })

  test.each(['c9', 'zzz', 'out', 'somebody'])(
    '[A6] [A7] that picks %j is no choice, and not nobody',
    (pick) => {
      expect(called({ pick })).toEqual(problem('it named no candidate'))
    },
  )

  test('[A12] that insists on a bot that is no candidate is no choice', () => {
    expect(called({ pick: 'out' })).toEqual(problem('it named no candidate'))
  })

  test.each([{}, { pick: 3 }, { pick: null }, { id: 'c1' }])('with %j is no choice', (args) => {
    expect(called(args)).toEqual(problem('it named nobody it chose'))
  })

  test('of another tool is no choice', () => {
    expect(readDecisionAnswer(message([calling({ pick: 'c1' }, 'speak')]), nameable)).toEqual(
      problem('it called "speak"'),
    )
  })

  test('made twice counts when both say the same', () => {
    const twice = (first: string, second: string) =>
      readDecisionAnswer(message([calling({ pick: first }), calling({ pick: second })]), nameable)
    expect(twice('c1', 'c1')).toEqual(picked('ann'))
    expect(twice('c1', 'c2')).toEqual(problem('it chose more than one'))
    expect(twice('c1', 'nobody')).toEqual(problem('it chose more than one'))
    expect(twice('c1', 'c9')).toEqual(problem('it named no candidate'))
    expect(twice('c9', 'c9')).toEqual(problem('it named no candidate'))
  })

  test('counts before the text beside it', () => {
    const both = message([{ type: 'text', text: 'coder' }, calling({ pick: 'c1' })])
    expect(readDecisionAnswer(both, nameable)).toEqual(picked('ann'))
  })
})

describe('text instead of a call', () => {
  test.each([
    ['[A2]', '\u001B[33m**Role: coder**\u001B[0m', 'coder'],
    ['[A2]', 'Next speaker: ann\\-lee', 'ann-lee'],
    ['[A4]', '<think>ann? coder?</think>\ncoder', 'coder'],
    ['[A4]', 'ann or coder… coder is better</think>\ncoder', 'coder'],
    ['[A4]', '<THINKING>\nann\n</THINKING>\n\nc3', 'coder'],
    ['', 'c3', 'coder'],
    ['', 'C3.', 'coder'],
    ['', '`c3`', 'coder'],
    ['', '"coder"', 'coder'],
    ['', '_coder_', 'coder'],
    ['', '__coder__', 'coder'],
    ['', '@coder', 'coder'],
    ['', 'I choose coder', 'coder'],
    ['', 'Answer = CODER', 'coder'],
    ['', 'coder (c3)', 'coder'],
    ['', '写手', 'writer'],
    ['[B5]', '(写手)', 'writer'],
    ['[B3]', 'ann-lee', 'ann-lee'],
    ['[B3]', 'Ann Lee', 'ann-lee'],
    ['', 'ann', 'ann'],
    ['', 'nobody', null],
    ['', 'Pick: Nobody.', null],
  ] as const)('%s is salvaged from %j', (_, text, handle) => {
    expect(wrote(text)).toEqual(salvaged(handle))
  })

  test.each([
    '{"pick":"c3","reason":"ann is busy"}',
    '```json\n{"pick":"coder","reason":"ann is busy"}\n```',
    '<think>ann</think>{"pick":" c3 ","reason":"ann is busy"}',
  ])('is salvaged from JSON: %j', (text) => {
    expect(wrote(text)).toEqual(salvaged('coder', { reason: 'ann is busy' }))
  })

  test.each([
    ['[A3]', 'ann or coder', 'it named more than one'],
    ['[A3]', 'nobody but coder', 'it named more than one'],
    ['[A3]', 'c1, c2', 'it named more than one'],
    ['[A3]', 'coder, not out', 'it named more than one'],
    ['[A3]', 'c9 coder', 'it named more than one'],
    ['', 'the coder’s role: ann', 'it named more than one'],
    ['[A4]', '<think>coder', 'it never stopped thinking'],
    ['[A4]', '<think>coder</think> ann <reasoning>', 'it never stopped thinking'],
    ['[A7]', '[{"id":"zzz"}]', 'it named no candidate'],
    ['[A7]', '{"pick":"zzz"}', 'it named no candidate'],
    ['[A7]', '{"id":"c1"}', 'it named no candidate'],
    ['[A6]', 'c9', 'it named no candidate'],
    ['[A12]', 'out', 'it named no candidate'],
    ['[B3]', 'ann-le', 'it named no candidate'],
    ['', 'coders', 'it named no candidate'],
    ['', 'decoder', 'it named no candidate'],
    ['', 'c33', 'it named no candidate'],
    ['', '', 'it answered nothing'],
    ['', '  \n ', 'it answered nothing'],
    ['', '** **', 'it answered nothing'],
    ['', `coder ${'x'.repeat(75)}`, 'it talked instead of choosing'],
  ] as const)('%s is no choice when it is %j', (_, text, why) => {
    expect(wrote(text)).toEqual(problem(why))
  })

  test('of eighty characters is still read', () => {
    expect(wrote(`coder ${'x'.repeat(74)}`)).toEqual(salvaged('coder'))
  })

  test.each([
    'coder <think>because ann is busy</think>',
    'ann or writer?</think>{"pick":"c3"}',
    'coder .',
    '__coder__',
    ' **_coder_** ',
    'Next speaker : coder',
    'role=coder',
    '\n Answer:  coder',
  ])('%j is a choice', (text) => {
    expect(wrote(text)).toEqual(salvaged('coder'))
  })

  test('that is broken JSON is read as words', () => {
    expect(wrote('{"pick": c3')).toEqual(salvaged('coder'))
  })

  test('[A4] ignores what stands in a block of reasoning', () => {
    const content = [
      { type: 'thinking' as const, thinking: 'ann? coder?' },
      { type: 'text' as const, text: 'coder' },
    ]
    expect(readDecisionAnswer(message(content), nameable)).toEqual(salvaged('coder'))
  })

  test('[A11] that never came because the room was used up says so', () => {
    const cut: AssistantMessage = { ...message([]), stopReason: 'length' }
    expect(readDecisionAnswer(cut, nameable)).toEqual(problem('it ran out of room before it chose'))
    const half: AssistantMessage = {
      ...message([{ type: 'text', text: 'coder' }]),
      stopReason: 'length',
    }
    expect(readDecisionAnswer(half, nameable)).toEqual(salvaged('coder'))
    expect(readDecisionAnswer(message([]), nameable)).toEqual(problem('it answered nothing'))
  })
})

describe('names that look like answers', () => {
  const tricky: Nameable = {
    idOf: new Map([
      ['c1', agent('ann')],
      ['c2', agent('bo')],
      ['nobody', null],
    ]),
    bots: [named('ann', 'Nobody'), named('bo', 'c1'), named('empty', ' ')],
  }

  test('[A8] a bot called nobody cannot catch the pick nobody', () => {
    expect(called({ pick: 'nobody' }, tricky)).toEqual(picked(null))
    expect(called({ pick: 'c1' }, tricky)).toEqual(picked('ann'))
  })

  test('[A8] in text such a name is ambiguous', () => {
    expect(wrote('nobody', tricky)).toEqual(problem('it named more than one'))
    expect(wrote('c1', tricky)).toEqual(problem('it named more than one'))
    expect(wrote('bo', tricky)).toEqual(salvaged('bo'))
  })

  test('[A8] a longer name that holds nobody is that bot', () => {
    const room = { ...tricky, bots: [named('ann', 'nobody-bot'), named('bo')] }
    expect(wrote('nobody-bot', room)).toEqual(salvaged('ann'))
  })

  test('[B16] two bots of one name are told apart by id and handle only', () => {
    const room = { ...tricky, bots: [named('ann', 'Ann'), named('bo', 'Ann')] }
    expect(wrote('Ann', room)).toEqual(problem('it named more than one'))
    expect(wrote('bo', room)).toEqual(salvaged('bo'))
  })

  test('a label before the name is no name, and a word behind it is', () => {
    const room = { ...tricky, bots: [named('ann', 'Role'), named('bo')] }
    for (const text of ['Role: bo', 'role:bo', '\n role  =  bo'])
      expect(wrote(text, room)).toEqual(salvaged('bo'))
    expect(wrote('the role: bo', room)).toEqual(problem('it named more than one'))
    expect(wrote('bo: role', room)).toEqual(problem('it named more than one'))
  })

  test('an underscore inside a name stays, one around it goes', () => {
    const room = { ...tricky, bots: [named('ann', 'a_b'), named('bo')] }
    expect(wrote('_a_b_', room)).toEqual(salvaged('ann'))
    expect(wrote('a_ b', room)).toEqual(problem('it named no candidate'))
  })

  test('a name that is empty or padded catches nothing but itself', () => {
    expect(wrote('bo .', tricky)).toEqual(salvaged('bo'))
    const padded = { ...tricky, bots: [named('ann', ' Anna '), named('bo')] }
    expect(wrote('anna', padded)).toEqual(salvaged('ann'))
  })

  test('nobody is no choice where one must answer', () => {
    const must = { ...tricky, idOf: new Map([['c1', agent('ann')]]), bots: [named('ann')] }
    expect(wrote('nobody', must)).toEqual(problem('it named no candidate'))
    expect(called({ pick: 'nobody' }, must)).toEqual(problem('it named no candidate'))
  })

  test('a name is taken literally, whatever signs it holds', () => {
    const room = { ...tricky, bots: [named('ann', 'a.*(b)|[c]\\d+$^{}?/-'), named('bo')] }
    expect(called({ pick: 'a.x(b)' }, room)).toEqual(problem('it named no candidate'))
    expect(called({ pick: 'bo' }, room)).toEqual(salvaged('bo'))
    const doctor = { ...tricky, bots: [named('ann'), named('bo', 'Dr. (No)')] }
    expect(wrote('Dr. (No)', doctor)).toEqual(salvaged('bo'))
    expect(wrote('Drx (No)', doctor)).toEqual(problem('it named no candidate'))
  })

  test('colours of a terminal are no part of a pick', () => {
    expect(called({ pick: '\u001B[1mcoder\u001B[0m' })).toEqual(salvaged('coder'))
  })
})

test('no answer of any model leads outside the candidates', () => {
  const piece = fc.constantFrom(
    'c1',
    'c2',
    'c9',
    'nobody',
    'ann',
    'out',
    'coder',
    '写手',
    '<think>',
    '</think>',
    '```',
    '{',
    '"',
    'pick',
    ':',
    '**',
    '\u001B[0m',
    '\n',
    ' ',
    '[',
    ']',
    'Role:',
    '\\',
    '_',
    'or',
  )
  const text = fc.oneof(
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.string(),
  )
  const args = fc.oneof(
    fc.record({ pick: text, reason: text }),
    fc.dictionary(text, fc.jsonValue()),
  )
  const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
    text.map((one) => ({ type: 'text' as const, text: one })),
    args.map((one) => calling(one)),
  )
  const allowed = new Set(nameable.idOf.values())
  fc.assert(
    fc.property(fc.array(block), (content) => {
      const pick = readDecisionAnswer(message(content), nameable)
      return pick.status === 'problem' || allowed.has(pick.speaker)
    }),
    { numRuns: 2_000 },
  )
})
