import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plain, visibleJson } from './output.ts'

/* oxlint-disable no-control-regex -- what a terminal obeys, and what turns text around */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

const nasty = fc.string({
  unit: fc.constantFrom(
    '\u001b',
    '[',
    ']',
    '31m',
    '0;',
    '\u009b',
    '\u0007',
    '\u202e',
    '\u2066',
    '\n',
    'a',
    'é',
    '👍',
  ),
})

test.each([
  ['a \u001b[1;31mred\u001b[0m word', 'a red word'],
  ['\u001b]0;title\u0007shown', 'shown'],
  ['\u001b]8;;http://elsewhere\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u009b2Jcleared', 'cleared'],
  ['over\rwritten', 'overwritten'],
  ['abc\u202egnp.exe\u202c', 'abcgnp.exe'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['family 👩‍👩‍👧, Zürich, فارسی‌ها', 'family 👩‍👩‍👧, Zürich, فارسی‌ها'],
])('%j is printed as %j', (text, printed) => {
  expect(plain(text)).toBe(printed)
})

test('nothing that a terminal obeys is left of any text', () => {
  fc.assert(fc.property(nasty, (text) => !OBEYED.test(plain(text))))
})

test('JSON shows such characters as numbers on one line and still says the same', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const line = visibleJson({ text })
      expect(JSON.parse(line)).toEqual({ text })
      return !OBEYED.test(line) && !line.includes('\n')
    }),
  )
})
