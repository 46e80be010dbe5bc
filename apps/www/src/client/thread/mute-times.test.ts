import type { Thread, ThreadBot } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { shownBot, shownThread } from '../../../../../test/support/shown-thread.ts'
import { MUTE_TIMES, muteFor, nextEnd, threadAt } from './mute-times.ts'

const bot = (id: string, mutedUntil: string | null, muted = true): ThreadBot =>
  shownBot(id, { id, muted, mutedUntil })

const threadOf = (...bots: ThreadBot[]): Thread => shownThread({ bots })

const END = '2026-01-01T12:00:00.000Z'
const LATER = '2026-01-01T13:00:00.000Z'

test('a mute is over at its end, and one without an end is not', () => {
  const thread = threadOf(bot('ada', END), bot('bo', null), bot('cy', LATER))
  expect(threadAt(thread, Date.parse(END)).bots).toEqual([
    bot('ada', null, false),
    bot('bo', null),
    bot('cy', LATER),
  ])
})

test('the thread stays the same one while nothing ends', () => {
  const thread = threadOf(bot('ada', END), bot('bo', null))
  expect(threadAt(thread, Date.parse(END) - 1)).toBe(thread)
})

test('the next end is the earliest', () => {
  expect(nextEnd(threadOf(bot('ada', LATER), bot('bo', END)))).toBe(Date.parse(END))
  expect(nextEnd(threadOf(bot('ada', null)))).toBeUndefined()
})

test('a mute lasts an hour, until the next morning, or until it is ended', () => {
  const evening = new Date(2026, 0, 31, 20, 30)
  expect(MUTE_TIMES.map(([time]) => muteFor('ada', time, evening))).toEqual([
    { bot: 'ada', muted: true, for: 60 },
    { bot: 'ada', muted: true, for: 11 * 60 + 30 },
    { bot: 'ada', muted: true },
  ])
})
