import { expect, test } from 'vitest'
import { minutesOf, offsetOf, secondsOf, turnsOf } from './read-option.ts'

test('an offset is a whole number from the first that makes sense there', () => {
  expect([offsetOf('0', 0), offsetOf('12', 1)]).toEqual([0, 12])
})

test.each(['', ' ', '-1', '1.5', '1e3', '0x10', 'ten', '9007199254740993', true, undefined])(
  '%j is no offset',
  (value) => {
    expect(() => offsetOf(value, 0)).toThrow('is no offset')
  },
)

test('0 is an offset to begin behind, and no message', () => {
  expect(() => offsetOf('0', 1)).toThrow('"0" is no offset: a whole number from 1 on.')
})

test('seconds may be parts of one, and are more than none', () => {
  expect(secondsOf('0.25')).toBe(0.25)
  for (const value of ['0', '-1', 'soon', '', '3000000', true])
    expect(() => secondsOf(value)).toThrow('is no number of seconds')
})

test('a time is in minutes, hours or days, a year at most', () => {
  expect(['1m', '90m', '1h', '2d', '365d'].map(minutesOf)).toEqual([1, 90, 60, 2_880, 525_600])
  for (const value of ['0m', '366d', '1', '1.5h', '-1h', 'h', '1w', '', true])
    expect(() => minutesOf(value)).toThrow(`"${value}" is no time from 1m to 365d`)
})

test('turns are a whole number from 1 on', () => {
  expect(turnsOf('12')).toBe(12)
  for (const value of ['0', '-1', '1.5', 'many', '', true])
    expect(() => turnsOf(value)).toThrow(`"${value}" is no number of turns from 1 on.`)
})
