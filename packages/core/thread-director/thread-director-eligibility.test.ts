import { toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace, requestOf } from '../../../test/support/director-trace.ts'
import {
  eligibleBots,
  exclusionOf,
  isAtLimit,
  isQuiet,
  isServable,
  servableRequests,
  unavailable,
} from './thread-director-eligibility.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import type { RosterBot } from './thread-director-port.ts'

const ann = agent('ann')
const turnOf = (handle: string) => ({ bot: agent(handle), to: toOffset(1) })

function view(over: Partial<DirectorView> = {}): DirectorView {
  const thread = directorTrace({
    bots: [bot('ann'), bot('bo')],
    settings: { limitPerBot: 2, limitPerThread: 4 },
  })
  thread.say('mia', 'hello')
  return { ...thread.view(), ...over }
}

describe('the limits', () => {
  test.each([
    ['one turn short of the bot’s', [turnOf('ann'), turnOf('bo'), turnOf('bo')], false],
    ['at the bot’s', [turnOf('ann'), turnOf('ann')], true],
    ['at the thread’s', [turnOf('bo'), turnOf('bo'), turnOf('cy'), turnOf('cy')], true],
  ])('%s', (_, turns, reached) => {
    expect(isAtLimit(view({ turns }), ann)).toBe(reached)
  })
})

describe('a bot nobody named', () => {
  const atLimit = [turnOf('ann'), turnOf('ann')]
  const onlyAnn = () => {
    const thread = directorTrace({ bots: [bot('ann')] })
    thread.botSays('ann', 'well')
    return thread.view().unread
  }
  const mixed = () => {
    const thread = directorTrace({ bots: [bot('ann')] })
    thread.botSays('ann', 'well')
    thread.hookSays('red')
    return thread.view().unread
  }

  const states: readonly {
    readonly state: string
    readonly over?: Partial<RosterBot>
    readonly seen?: Partial<DirectorView>
    readonly why: string | undefined
  }[] = [
    { state: 'free to speak', why: undefined },
    { state: 'always', over: { mode: 'always' }, why: undefined },
    { state: 'driven from outside', over: { external: true, muted: true }, why: 'external' },
    { state: 'muted', over: { muted: true, mode: 'never' }, why: 'muted' },
    { state: 'set to never', over: { mode: 'never' }, seen: { passers: [ann] }, why: 'never' },
    {
      state: 'to be named',
      over: { mode: 'mention' },
      seen: { passers: [ann] },
      why: 'mention_only',
    },
    { state: 'one that passed', seen: { passers: [ann], unread: onlyAnn() }, why: 'passed' },
    { state: 'the only author', seen: { unread: onlyAnn(), turns: atLimit }, why: 'author' },
    { state: 'one of two authors', seen: { unread: mixed() }, why: undefined },
    { state: 'beside silence', seen: { unread: [] }, why: undefined },
    { state: 'at its limit', seen: { turns: atLimit }, why: 'turn_limit' },
  ]

  test.each(states)('that is $state', ({ over, seen, why }) => {
    expect(exclusionOf(view(seen), bot('ann', over))).toBe(why)
  })

  test('is eligible when nothing stands against it', () => {
    expect(eligibleBots(view({ passers: [ann] })).map(({ id }) => id)).toEqual([agent('bo')])
  })
})

describe('a bot that is named', () => {
  const states = [
    ['there', {}, undefined],
    ['waiting to be named', { mode: 'mention' }, undefined],
    ['muted', { muted: true, external: true }, 'muted'],
    ['driven from outside', { external: true, mode: 'never' }, 'external'],
    ['set to never', { mode: 'never' }, 'never'],
  ] as const

  test.each(states)('%s', (_, over, why) => {
    expect(unavailable(view({ bots: [bot('ann', over)] }), ann)).toBe(why)
  })

  test('is gone, or at its limit', () => {
    expect(unavailable(view(), agent('cy'))).toBe('left')
    expect(unavailable(view({ turns: [turnOf('ann'), turnOf('ann')] }), ann)).toBe('turn_limit')
  })

  const served: readonly {
    readonly state: string
    readonly over?: Partial<RosterBot>
    readonly turns?: DirectorView['turns']
    /** By a mention, by an ask. */
    readonly by: readonly [boolean, boolean]
  }[] = [
    { state: 'there', by: [true, true] },
    { state: 'muted', over: { muted: true }, by: [false, false] },
    { state: 'driven from outside', over: { external: true }, by: [false, false] },
    { state: 'set to never', over: { mode: 'never' }, by: [false, true] },
    { state: 'at its limit', turns: [turnOf('ann'), turnOf('ann')], by: [false, true] },
  ]

  test.each(served)('that is $state: what serves it', ({ over, turns = [], by }) => {
    const seen = view({ bots: [bot('ann', over)], turns })
    const requests = [requestOf('ann', 1), requestOf('ann', 1, { by: 'asked' })]
    expect(requests.map((request) => isServable(seen, request))).toEqual(by)
  })
})

describe('a thread', () => {
  const nothing = { covers: false, unread: [], texts: [], requests: [] }

  test('rests when nothing is unread and nobody owed can be served', () => {
    expect(isQuiet(view(nothing))).toBe(true)
    expect(isQuiet(view({ ...nothing, requests: [requestOf('cy', 1)] }))).toBe(true)
  })

  test('does not rest while something is unread, be it deleted, or somebody can be served', () => {
    expect(isQuiet(view({ ...nothing, covers: true }))).toBe(false)
    expect(isQuiet(view({ ...nothing, requests: [requestOf('ann', 1)] }))).toBe(false)
  })

  test('lists who can be served, oldest first', () => {
    const requests = [requestOf('cy', 1), requestOf('bo', 2), requestOf('ann', 3)]
    expect(servableRequests(view({ requests }))).toEqual(requests.slice(1))
  })
})
