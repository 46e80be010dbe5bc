import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberLines } from './number-lines.ts'

test.each([
  ['', ''],
  ['one', '1: one'],
  ['one\n', '1: one\n'],
  ['\n', '1: \n'],
  ['one\n\nthree', '1: one\n2: \n3: three'],
  ['a\r\nb\rc\u2028d\n', '1: a\r\n2: b\rc\u2028d\n'],
])('%j reads as %j', (text, numbered) => {
  expect(numberLines(text)).toBe(numbered)
})

test('[P-6] taking the numbers away gives the text back', () => {
  const pieces = fc.constantFrom(
    'a',
    '1: ',
    '\n',
    '\r\n',
    '\r',
    '\u2028',
    '\u0085',
    '\f',
    'é',
    '🦊',
  )
  fc.assert(
    fc.property(fc.string({ unit: pieces }), (text) => {
      expect(withoutNumbers(numberLines(text))).toBe(text)
    }),
  )
})

test('[P-6] the number of a line is the count of line feeds before it, plus one', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', 'x', 'y\r')), (lines) => {
      const numbered = numberLines(lines.map((line) => `${line}\n`).join(''))
      expect(numbered).toBe(lines.map((line, index) => `${index + 1}: ${line}\n`).join(''))
    }),
  )
})

test.each([65_535, 65_536, 65_537, 131_073])('%i lines keep their order and numbers', (count) => {
  const expected = Array.from({ length: count }, (_, index) => `${index + 1}: x\n`).join('')
  expect(numberLines('x\n'.repeat(count)) === expected).toBe(true)
})

function withoutNumbers(numbered: string): string {
  return numbered.replaceAll(/(?<=^|\n)\d+: ([^\n]*)/g, '$1')
}
