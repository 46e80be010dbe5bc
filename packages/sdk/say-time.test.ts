import { expect, test } from 'vitest'
import { sayTime } from './say-time.ts'

const now = new Date(2026, 0, 1, 12, 0)
const at = (...[day, hour, minute]: readonly [number, number, number]): string =>
  new Date(2026, 0, day, hour, minute).toISOString()

test('a moment of today is told by its time alone', () => {
  expect(sayTime(at(1, 14, 5), now)).toBe('14:05')
})

test('a moment of another day is told with its day', () => {
  expect(sayTime(at(2, 9, 0), now)).toBe('09:00 on Fri 2 Jan')
})
