import { expect, test } from 'vitest'
import { sayEstimate, sayMoney } from './say-money.ts'

test.each([
  [0, '$0', '$0'],
  [0.000_000_4, 'under $0.0001', 'under $0.0001'],
  [0.000_099_9, 'under $0.0001', 'under $0.0001'],
  [0.000_1, '$0.0001', 'about $0.0001'],
  [0.003, '$0.0030', 'about $0.0030'],
  [12.5, '$12.5000', 'about $12.5000'],
])('%d dollars are said as %s, and as an estimate as %s', (dollars, money, estimate) => {
  expect([sayMoney(dollars), sayEstimate(dollars)]).toEqual([money, estimate])
})
