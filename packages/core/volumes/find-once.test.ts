import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findOnce } from './find-once.ts'

test.each([
  ['abc', 'x', { kind: 'none' }],
  ['', 'x', { kind: 'none' }],
  ['ab', 'abc', { kind: 'none' }],
  ['abc', 'abc', { kind: 'once', at: 0 }],
  ['abc', 'c', { kind: 'once', at: 2 }],
  ['aaa', 'aa', { kind: 'many' }],
  ['a-a', 'a', { kind: 'many' }],
  ['', '', { kind: 'once', at: 0 }],
  ['a', '', { kind: 'many' }],
])('in %j the part %j is found as %j', (text, part, found) => {
  expect(findOnce(text, part)).toEqual(found)
})

test('a short part is found as a comparison at every place finds it', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  fc.assert(
    fc.property(letters, letters, (text, part) => {
      expect(findOnce(text, part)).toEqual(findByComparing(text, part))
    }),
  )
})

test('a part longer than the native search may see is found as by comparing', () => {
  fc.assert(
    fc.property(repetitive, repetitive, repetitive, (before, part, after) => {
      const text = before + part + after
      expect(findOnce(text, part)).toEqual(findByComparing(text, part))
      const other = `${part.slice(0, -1)}z`
      expect(findOnce(text, other)).toEqual(findByComparing(text, other))
    }),
    { numRuns: 300 },
  )
})

test('the lengths around the end of the native search are found alike', () => {
  for (const length of [249, 250, 251, 252]) {
    const part = `${'a'.repeat(length - 1)}b`
    expect(findOnce(`aa${part}a`, part)).toEqual({ kind: 'once', at: 2 })
    expect(findOnce(part, part)).toEqual({ kind: 'once', at: 0 })
    expect(findOnce(part.slice(1), part)).toEqual({ kind: 'none' })
    expect(findOnce(part + part, part)).toEqual({ kind: 'many' })
  }
})

test('long places that overlap are many', () => {
  expect(findOnce('a'.repeat(301), 'a'.repeat(300))).toEqual({ kind: 'many' })
  const period = 'abcabcabd'.repeat(50)
  expect(findOnce(period + period.slice(0, 9), period)).toEqual({ kind: 'many' })
})

test('what follows a long near match is not taken for its continuation', () => {
  const part = `ab${'c'.repeat(298)}`
  expect(findOnce(part.slice(0, 270) + part.slice(1), part)).toEqual({ kind: 'none' })
  expect(findOnce(part.slice(0, 270) + part, part)).toEqual({ kind: 'once', at: 270 })
})

// A search that starts anew at each place takes some 10^11 comparisons here, which is minutes.
test('a long part that almost matches everywhere takes a single walk', () => {
  const half = 'a'.repeat(250_000)
  const text = 'a'.repeat(1_000_000)
  expect(findOnce(text, `${half}b${half}`)).toEqual({ kind: 'none' })
  expect(findOnce(`${text}b${half}`, `${half}b${half}`)).toEqual({ kind: 'once', at: 750_000 })
})

/** Long runs with few kinds of interruption: what a search with a wrong table stumbles over. */
const repetitive = fc
  .array(fc.tuple(fc.constantFrom('a', 'ab', 'aab', 'abaab'), fc.integer({ min: 1, max: 140 })), {
    minLength: 3,
    maxLength: 6,
  })
  .map((runs) => runs.map(([unit, times]) => unit.repeat(times)).join(''))

function findByComparing(text: string, part: string): unknown {
  const places: number[] = []
  for (let at = 0; at + part.length <= text.length; at += 1) {
    if (text.startsWith(part, at)) places.push(at)
  }
  if (places.length === 0) return { kind: 'none' }
  return places.length === 1 ? { kind: 'once', at: places[0] } : { kind: 'many' }
}
