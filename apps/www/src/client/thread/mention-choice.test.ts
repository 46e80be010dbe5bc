import { expect, test } from 'vitest'
import { shownBot, shownThread } from '../../../../../test/support/shown-thread.ts'
import { choices, insertMention, typedName } from './mention-choice.ts'

const thread = shownThread({
  people: [{ id: 'usr_ann', name: 'Ann', handle: 'ann-p', role: 'owner' }],
  bots: [shownBot('Ada'), shownBot('Bo', { handle: 'critic', mode: 'never', muted: true })],
})
const named = (typed: string) => choices(thread, typed).map(({ handle }) => handle)

test.each([
  ['@', 1, ''],
  ['hey @ad', 7, 'ad'],
  ['(@ad', 4, 'ad'],
  ['@写', 2, '写'],
  ['hey @ada now', 8, 'ada'],
])('in %o with the caret at %i the name %o is being typed', (text, caret, name) => {
  expect(typedName(text, caret)?.name).toBe(name)
})

test.each([
  ['mail a@b', 8],
  ['@@ada', 5],
  ['hey', 3],
  ['@ada now', 8],
])('in %o with the caret at %i no name is', (text, caret) => {
  expect(typedName(text, caret)).toBeUndefined()
})

test('bots stand before people, and a name is found by its handle as well', () => {
  expect(named('')).toEqual(['ada', 'critic', 'ann-p'])
  expect(named('A')).toEqual(['ada', 'ann-p'])
  expect(named('cri')).toEqual(['critic'])
  expect(named('x')).toEqual([])
})

test('a choice takes the place of what was typed and leaves the rest', () => {
  const typed = typedName('hey @a now', 6)
  if (typed === undefined) throw new Error('nothing typed')
  expect(insertMention('hey @a now', typed, 'ada')).toEqual({ text: 'hey @ada now', caret: 9 })
})
