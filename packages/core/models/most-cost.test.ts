import { NO_USAGE } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { fakeModel, says } from '../../../test/support/fake-model.ts'
import { mostCostOf } from './most-cost.ts'

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 6 }
const model = { ...fakeModel(says('x')), price }
const request = { systemPrompt: 'ä'.repeat(30_000), messages: [], tools: [] }
const INPUT = (20_015 * 6) / 1_000_000

test('a request is counted at its dearest: all its text written to the cache, and the longest answer', () => {
  expect(mostCostOf(model, request)).toBeCloseTo(INPUT + (16_384 * 15) / 1_000_000, 3)
})

test('a shorter answer is reserved where no longer one can come', () => {
  const short = { ...request, maxOutputTokens: 1_000 }
  expect(mostCostOf(model, short)).toBeCloseTo(INPUT + 0.015, 3)
  expect(mostCostOf({ ...model, maxOutput: 500 }, short)).toBeCloseTo(INPUT + 0.0075, 3)
})

test('a model without a price reserves nothing', () => {
  expect(mostCostOf({ ...model, price: NO_USAGE }, request)).toBe(0)
})
