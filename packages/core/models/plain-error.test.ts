import { expect, test } from 'vitest'

import { plainError } from './plain-error.ts'
import { retryAfterOf } from './retry-after.ts'

test.each([
  ['400 {"error":{"message":"bad \\"x\\"","code":1}}', '400: bad "x"'],
  ['socket hang up\n  at x', 'socket hang up at x'],
  ['refused my-very-own-key here', 'refused [key] here'],
  ['refused sk-proj-abc***xyz here', 'refused [key] here'],
  ['header Bearer abc.def', 'header [key]'],
])('"%s" reads as one sentence without a key', (error, sentence) => {
  expect(plainError(error, ['my-very-own-key'])).toBe(sentence)
})

test('an endless error is shortened', () => {
  expect(plainError('x'.repeat(5_000), [])).toBe(`${'x'.repeat(300)}…`)
})

const now = Date.parse('2026-01-01T00:00:00Z')
test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('%j asks to wait %s ms', (headers, wait) => {
  expect(retryAfterOf(new Headers(headers), now)).toBe(wait)
})
