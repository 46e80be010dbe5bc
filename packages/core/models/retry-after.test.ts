import { expect, test } from 'vitest'
import { retryAfterOf } from './retry-after.ts'

const NOW = Date.parse('Tue, 01 Dec 2026 12:00:00 GMT')

test.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': 'Tue, 01 Dec 2026 12:00:07 GMT' }, 7_000],
  [{ 'retry-after': 'Tue, 01 Dec 2026 11:00:00 GMT' }, 0],
  // The two clocks are an hour apart.
  [
    { 'retry-after': 'Tue, 01 Dec 2026 13:00:07 GMT', date: 'Tue, 01 Dec 2026 13:00:00 GMT' },
    7_000,
  ],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '' }, undefined],
  [{ 'retry-after-ms': '-1', 'retry-after': '3' }, 3_000],
  [{}, undefined],
])('%j asks for a wait of %s ms', (headers, wait) => {
  expect(retryAfterOf(new Headers(headers), NOW)).toBe(wait)
})
