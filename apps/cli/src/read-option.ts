import type { OptionValue } from './command-context.ts'
import { CliError, EXIT } from './exit.ts'

export function textOf(value: OptionValue): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** An offset as it was typed; `first` is the lowest that makes sense there. */
export function offsetOf(value: OptionValue, first: 0 | 1): number {
  const number = Number(value)
  if (!/^\d+$/.test(String(value)) || number < first || !Number.isSafeInteger(number))
    throw new CliError(EXIT.usage, `"${value}" is no offset: a whole number from ${first} on.`)
  return number
}

export function secondsOf(value: OptionValue): number {
  const seconds = typeof value === 'string' ? Number(value) : 0
  // A timer holds no more than 2^31 ms.
  if (!(seconds > 0 && seconds <= 2_000_000))
    throw new CliError(EXIT.usage, `"${value}" is no number of seconds above 0.`)
  return seconds
}

const UNITS = new Map([
  ['m', 1],
  ['h', 60],
  ['d', 1_440],
])

/** A length of time as it was typed: 30m, 1h, 2d. */
export function minutesOf(value: OptionValue): number {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(String(value)) ?? []
  const minutes = Number(number) * (UNITS.get(unit) ?? Number.NaN)
  if (!(minutes >= 1 && minutes <= 525_600))
    throw new CliError(EXIT.usage, `"${value}" is no time from 1m to 365d, such as 30m, 1h or 2d.`)
  return minutes
}

/** A whole number as it was typed, said as what it is where it is none. How many are too many, the house says. */
export function countOf(value: OptionValue, what = 'whole number'): number {
  const count = Number(value)
  if (!/^\d{1,9}$/.test(String(value)) || count < 1)
    throw new CliError(EXIT.usage, `"${value}" is no ${what} from 1 on.`)
  return count
}

export const turnsOf = (value: OptionValue): number => countOf(value, 'number of turns')
