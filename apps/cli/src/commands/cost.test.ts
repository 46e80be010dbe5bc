import type { Cost } from '@arbe/sdk/api'
import { expect, test } from 'vitest'
import { sayCost } from './cost.ts'

const figures = (cost: number, choosing: number, calls: number) => ({
  cost,
  choosing,
  calls,
  unsettled: 0,
  usage: { input: calls * 100, output: calls * 10, cacheRead: 0, cacheWrite: 0 },
})

const cost: Cost = {
  by: 'bot',
  since: '2026-01-01T00:00:00Z',
  until: '2026-02-01T00:00:00Z',
  rows: [
    { key: 'agt_1', name: 'Ada', ...figures(12.5, 0, 110) },
    { key: '', name: '', ...figures(0.25, 0.25, 9) },
  ],
  total: figures(12.75, 0.25, 119),
}

test('figures stand under each other, with the sum last', () => {
  expect(sayCost(cost)).toEqual([
    '    cost  choosing  calls  tokens in  tokens out  bot',
    '$12.5000        $0    110      11000        1100  Ada (agt_1)',
    ' $0.2500   $0.2500      9        900          90  the director',
    '$12.7500   $0.2500    119      11900        1190  all',
  ])
})

test('bills that never came are said', () => {
  const total = { ...cost.total, unsettled: 1 }
  expect(sayCost({ ...cost, total }).at(-1)).toBe('The bill of 1 call never came.')
})
