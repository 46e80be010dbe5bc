import type { Failing } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { bot, directorTrace, type Failure } from '../../../test/support/director-trace.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import { failingAfter, isPaused } from './thread-director-pause.ts'

const now = Date.UTC(2026, 0, 1, 12)
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }

function viewWith(failing: Failing | undefined): DirectorView {
  const view = directorTrace({ bots: [bot('ann')] }).view()
  return { ...view, now, failing }
}

describe('what a decision leaves behind of its model', () => {
  const once = { model: 'm/one', times: 1 }
  const twice = { model: 'm/one', times: 2 }
  const paused = { model: 'm/one', times: 3, pausedUntil: '2026-01-01T12:10:00.000Z' }
  const undecided = { kind: 'undecided', model: 'm/one', usage } as const

  test.each([
    ['a first failure is counted', undefined, undecided, once],
    ['a second one in a row too', once, undecided, twice],
    ['the third begins a pause', twice, undecided, paused],
    ['a failure after the pause begins the next one', paused, undecided, { ...paused, times: 4 }],
    [
      'another model begins anew',
      paused,
      { ...undecided, model: 'm/two' },
      { model: 'm/two', times: 1 },
    ],
    ['a choice clears it', paused, { kind: 'paid', model: 'm/one', usage } as const, undefined],
    ['a free rule leaves it', twice, { kind: 'free' } as const, twice],
    [
      'a decision that called no model leaves it',
      paused,
      { kind: 'undecided', model: 'm/two' } as const,
      paused,
    ],
    ['giving up leaves it', twice, { kind: 'undecided' } as const, twice],
    [
      'without a failure there is nothing to carry',
      undefined,
      { kind: 'free' } as const,
      undefined,
    ],
  ])('%s', (_, before, asked, after) => {
    expect(failingAfter(viewWith(before), asked, 0)).toEqual(after)
  })

  test('the pause begins when the decision has been made, not when its thread was read', () => {
    expect(failingAfter(viewWith(twice), undecided, 120_000.4)).toEqual({
      ...paused,
      pausedUntil: '2026-01-01T12:12:00.000Z',
    })
  })
})

describe('a model', () => {
  const failing = (pausedUntil?: string): Failing => ({
    model: 'm/one',
    times: 3,
    ...(pausedUntil !== undefined && { pausedUntil }),
  })

  test.each([
    ['that never failed', undefined, 'm/one', false],
    ['that failed less often', failing(), 'm/one', false],
    ['within its pause', failing('2026-01-01T12:00:00.001Z'), 'm/one', true],
    ['at the end of its pause', failing('2026-01-01T12:00:00.000Z'), 'm/one', false],
    ['within the pause of another', failing('2026-01-01T12:05:00.000Z'), 'm/two', false],
  ])('%s is paused: %s', (_, state, model, expected) => {
    expect(isPaused(viewWith(state), model)).toBe(expected)
  })
})

describe('a model that leaves three decisions in a row open', () => {
  const MINUTE = 60_000

  /** Asks the room, which only a model can settle; `calls` counts how often one was called. */
  function failingRoom() {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], people: ['mia', 'ben'] })
    let calls = 0
    const asked = (answer: string | null | Failure): readonly string[] => {
      thread.say('mia', 'who knows?')
      return thread.rest({
        pick: () => {
          calls += 1
          return answer
        },
      })
    }
    for (const rule of ['no_answer', 'unavailable', 'no_answer'] as const) asked({ rule })
    return { thread, asked, calls: () => calls }
  }

  test('is not called for ten minutes, and what it should decide stays undecided', () => {
    const { thread, asked, calls } = failingRoom()
    thread.later(10 * MINUTE - 1)
    expect(asked('ann')).toEqual(['undecided: model_paused'])
    expect(thread.decisions.at(-1)).toMatchObject({
      from: 3,
      to: 4,
      speaker: null,
      paidCalls: 0,
      cost: 0,
      model: 'test/test',
    })
    expect(calls()).toBe(3)
  })

  test('is called once more after them, and once in ten minutes while it goes on failing', () => {
    const { thread, asked, calls } = failingRoom()
    thread.later(10 * MINUTE)
    expect(asked({ rule: 'no_answer' })).toEqual(['undecided: no_answer'])
    thread.later(9 * MINUTE)
    expect(asked('ann')).toEqual(['undecided: model_paused'])
    expect(calls()).toBe(4)
  })

  test('is asked as ever once it has chosen again', () => {
    const { thread, asked } = failingRoom()
    thread.later(10 * MINUTE)
    expect(asked(null)).toEqual(['nobody: paid'])
    expect(asked({ rule: 'no_answer' })).toEqual(['undecided: no_answer'])
    expect(asked('ann')).toEqual(['ann: paid', 'nobody: bot_spoke'])
  })

  test('holds up no free rule, no ask, and no other model', () => {
    const { thread, asked } = failingRoom()
    thread.say('ben', '@ann hello')
    expect(thread.rest()).toEqual(['ann: mention', 'nobody: bot_spoke'])
    thread.ask('mia', 'bo')
    expect(thread.rest()).toEqual(['bo: asked', 'nobody: bot_spoke'])
    expect(asked('bo')).toEqual(['undecided: model_paused'])
    thread.configure({ directorModel: 'test/other' })
    expect(asked('bo')).toEqual(['bo: paid', 'nobody: bot_spoke'])
  })

  test('stays paused over a Stop', () => {
    const { thread, asked } = failingRoom()
    thread.say('mia', 'and now?')
    thread.stop()
    expect(asked('ann')).toEqual(['undecided: model_paused'])
  })
})
