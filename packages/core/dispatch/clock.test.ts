import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.ts'

afterEach(() => vi.useRealTimers())

const HOUR = 60 * 60_000

test.each([HOUR, -HOUR])(
  '[R-17] a machine whose clock is set by %i ms waits no longer and no shorter',
  (step) => {
    const before = systemClock.now()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + step })
    const passed = systemClock.now() - before
    expect(passed).toBeGreaterThanOrEqual(0)
    expect(passed).toBeLessThan(10_000)
  },
)

test('a clock begins with the time of day', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(HOUR)
})
