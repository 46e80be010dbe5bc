import { assert, nat, property, string } from 'fast-check'
import { expect, test } from 'vitest'

import { toJsonText } from './json-text.ts'

test.each([
  ['plain text stays', 'é 𝄞 "q" \t', { text: String.raw`"é 𝄞 \"q\" \t"`, replaced: 0 }],
  ['U+0000 is replaced', 'a\0b', { text: '"a\ufffdb"', replaced: 1 }],
  ['half a surrogate pair is replaced', 'a\ud834', { text: '"a\ufffd"', replaced: 1 }],
  [
    'written-out escapes are text',
    String.raw`\u0000`,
    { text: String.raw`"\\u0000"`, replaced: 0 },
  ],
  ['a control character stays', '\u0001', { text: String.raw`"\u0001"`, replaced: 0 }],
  ['keys are text too', { 'a\0': 1 }, { text: '{"a\ufffd":1}', replaced: 1 }],
])('%s', (_title, value, expected) => {
  expect(toJsonText(value)).toEqual(expected)
})

test('whatever is given, what comes out is well-formed and without U+0000', () => {
  assert(
    property(string({ unit: 'binary' }), nat(0xffff), (text, unit) => {
      const value = text + String.fromCharCode(unit) + text
      const back: unknown = JSON.parse(toJsonText(value).text)
      expect(back).toBe(value.toWellFormed().replaceAll('\0', '\ufffd'))
    }),
  )
})
