import { type DecisionBody, toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import {
  agent,
  bot,
  directorTrace,
  requestOf,
  resultOf,
} from '../../../test/support/director-trace.ts'
import type { TurnResult } from '../threads/turn.ts'
import { closingOf, MOST_PAID_DECISIONS } from './thread-director-closing.ts'

function decision(over: Partial<DecisionBody> = {}): DecisionBody {
  const thread = directorTrace({ bots: [bot('ann')] })
  thread.say('mia', '@ann hi')
  const stored = thread.pass()
  if (stored === undefined) throw new Error('nothing was decided')
  return { ...stored, ...over }
}

const close = (result: Partial<TurnResult>, over: Partial<DecisionBody> = {}) =>
  closingOf(decision(over), resultOf(result), (text) => {
    const bo = { id: agent('bo'), handle: 'bo' }
    return text.includes('@bo') ? { mentions: [bo.id], names: [bo] } : { mentions: [], names: [] }
  })

describe('a range is closed', () => {
  const statuses = ['replied', 'silent', 'failed', 'interrupted', 'cancelled', 'limit'] as const

  test.each(statuses)('by a paid pick that is %s', (status) => {
    expect(close({ status }, { kind: 'paid', paidCalls: 1 }).closes).toBe(true)
  })

  test.each([
    ['free', 0, 'passed', undefined, true],
    ['free', 1, 'passed', undefined, true],
    ['free', 0, 'cancelled', 'speaker_left', true],
    ['paid', 1, 'passed', undefined, false],
    ['paid', 1, 'cancelled', 'speaker_left', false],
    ['paid', MOST_PAID_DECISIONS, 'passed', undefined, true],
  ] as const)('by %s decision %i whose bot %s (%s): %s', (...row) => {
    const [kind, paidCalls, status, because, closes] = row
    const result = because === undefined ? { status } : { status, because }
    expect(close(result, { kind, paidCalls }).closes).toBe(closes)
  })

  test('after two paid decisions at the latest', () => {
    expect(MOST_PAID_DECISIONS).toBe(2)
  })
})

describe('a reply', () => {
  test('is posted with its mentions and the hops of its turn', () => {
    const result = { text: '@bo look', assistant: toOffset(3) }
    expect(close(result, { hops: 2 }).reply).toEqual({
      text: '@bo look',
      named: { mentions: [agent('bo')], names: [{ id: agent('bo'), handle: 'bo' }] },
      assistant: 3,
      hops: 2,
    })
  })

  test('is posted too when the turn ended at a limit', () => {
    expect(close({ status: 'limit', text: 'so far' }).reply?.text).toBe('so far')
  })

  test.each(['passed', 'silent', 'failed', 'interrupted', 'cancelled'] as const)(
    'is none when the turn %s, whatever text there is',
    (status) => {
      expect(close({ status, text: 'half a' }).reply).toBeUndefined()
    },
  )

  test('is none without a text', () => {
    expect(close({ status: 'replied' }).reply).toBeUndefined()
  })
})

describe('what is owed', () => {
  const requests = [
    requestOf('bo', 1),
    requestOf('ann', 1),
    requestOf('cy', 2),
    requestOf('ann', 3),
    requestOf('bo', 3),
  ]
  const voided = (result: Partial<TurnResult>) =>
    close(result, { requests, to: toOffset(2), speaker: agent('ann') }).voided

  test.each([
    ['stopped', { status: 'cancelled', because: 'stopped' }],
    ['stopped', { status: 'cancelled' }],
    ['gave_up', { status: 'interrupted', because: 'gave_up' }],
  ] as const)('by others up to the range is void: %s after %j', (why, result) => {
    expect(voided(result)).toEqual([
      { bot: agent('bo'), entry: 1, why },
      { bot: agent('cy'), entry: 2, why },
    ])
  })

  test.each([
    { status: 'replied', text: 'ok' },
    { status: 'passed' },
    { status: 'failed' },
    { status: 'interrupted' },
    { status: 'cancelled', because: 'cause_deleted' },
    { status: 'cancelled', because: 'speaker_left' },
  ] as const)('stays after %j', (result) => {
    expect(voided(result)).toEqual([])
  })
})
