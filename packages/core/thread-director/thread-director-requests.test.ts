import { type DecisionBody, toActorId, toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import {
  agent,
  bot,
  directorTrace,
  person,
  requestOf,
  resultOf,
} from '../../../test/support/director-trace.ts'
import { viewOf } from './thread-director-entry-view.ts'
import { MOST_HOPS } from '../threads/hops.ts'
import { hopsOf, isServedBy, MOST_REQUESTS, stillOwed } from './thread-director-requests.ts'

const room = (...handles: string[]) =>
  directorTrace({ bots: handles.map((handle) => bot(handle)), people: ['mia', 'ben'] })
type Thread = ReturnType<typeof room>
const opened = (thread: Thread) => thread.view().requests

describe('an entry opens', () => {
  test('one request a bot, mentions before the reply, in the order named', () => {
    const thread = room('ann', 'bo', 'cy')
    thread.botSays('ann', 'done')
    thread.say('mia', '@cy @bo @cy', { replyTo: toOffset(1) })
    expect(opened(thread)).toEqual([
      requestOf('cy', 2),
      requestOf('bo', 2),
      requestOf('ann', 2, { by: 'reply_to' }),
    ])
  })

  test('one for a bot that is mentioned and replied to', () => {
    const thread = room('ann')
    thread.botSays('ann', 'done')
    thread.say('mia', '@ann why?', { replyTo: toOffset(1) })
    expect(opened(thread)).toEqual([requestOf('ann', 2)])
  })

  test('none for a reply to a person, to nothing, or by a bot', () => {
    const thread = room('ann', 'bo')
    thread.say('ben', 'hi')
    thread.botSays('ann', 'hi')
    thread.say('mia', 'hello', { replyTo: toOffset(1) })
    thread.say('mia', 'hello', { replyTo: toOffset(99) })
    thread.botSays('bo', 'hello', { replyTo: toOffset(2) })
    expect(opened(thread)).toEqual([])
  })

  test('none for people, for the system agent’s absence of a name, or for a bot from outside', () => {
    const thread = directorTrace({ bots: [bot('ann', { external: true })], people: ['mia', 'ben'] })
    thread.say('mia', '@@ben @ann hello')
    thread.ask('mia', 'ann')
    expect([thread.view().requests, thread.view().voided]).toEqual([[], []])
  })

  test('one for an ask of a bot set to never, none for a mention, reply or handover of it', () => {
    const thread = directorTrace({ bots: [bot('ann', { mode: 'never' }), bot('bo')] })
    thread.botSays('ann', 'hi', { wakes: false })
    thread.say('mia', '@ann', { replyTo: toOffset(1) })
    thread.say('mia', 'and', { replyTo: toOffset(1) })
    thread.handover('ann')
    thread.say('mia', '@everyone')
    const ask = thread.ask('mia', 'ann')
    expect(opened(thread)).toEqual([requestOf('bo', 5), requestOf('ann', ask, { by: 'asked' })])
  })

  test('a request that says who asked and by which means', () => {
    const thread = room('ann', 'bo')
    thread.botSays('bo', '@ann go', { hops: 2 })
    thread.hookSays('@ann red')
    thread.handover('bo')
    expect(opened(thread)).toEqual([
      requestOf('ann', 1, { person: false, hops: 2 }),
      requestOf('ann', 2, { person: false }),
      requestOf('bo', 3, { by: 'handover', person: false }),
    ])
  })

  test('an ordinary mention for a post of the system agent that reports no job', () => {
    const thread = room('ann')
    const author = { id: agent('system'), kind: 'system' as const }
    const body = { text: '@ann look', mentions: [agent('ann')] }
    thread.append('chat', author, { wakes: true, body })
    expect(opened(thread)).toEqual([requestOf('ann', 1, { person: false })])
  })

  test('none for its own author', () => {
    const thread = room('ann', 'bo')
    thread.botSays('ann', 'I, @ann, and @bo')
    expect(thread.owed()).toEqual(['bo@1'])
  })

  test('none by @everyone for a muted bot', () => {
    const thread = directorTrace({ bots: [bot('ann', { muted: true }), bot('bo')] })
    thread.say('mia', '@everyone')
    expect([thread.owed(), thread.view().voided]).toEqual([['bo@1'], []])
  })

  test('nothing where it does not wake', () => {
    const thread = room('ann')
    const view = thread.view()
    thread.say('mia', '@ann hi', { wakes: false })
    const capture = thread.capture()
    expect(viewOf({ ...capture, unread: capture.tail }).requests).toEqual(view.requests)
  })

  test('by an edit only what the edit added and the message still says', () => {
    const thread = room('ann', 'bo', 'cy')
    const said = thread.say('mia', '@ann hi')
    thread.edit('mia', said, '@ann @bo hi')
    thread.edit('mia', said, '@ann @cy hi')
    expect(opened(thread)).toEqual([
      requestOf('ann', 1),
      requestOf('cy', 3, { message: toOffset(1) }),
    ])
    thread.edit('mia', said, 'hi')
    expect([thread.view().requests, thread.view().voided]).toEqual([[], []])
  })

  test('by an edit that adds @everyone one for each bot, until another edit takes it back', () => {
    const thread = room('ann', 'bo')
    const said = thread.say('mia', 'hi')
    thread.edit('mia', said, '@everyone hi')
    expect(opened(thread).map(({ bot: id }) => id)).toEqual([agent('ann'), agent('bo')])
    thread.edit('mia', said, 'hi')
    expect(opened(thread)).toEqual([])
  })

  test('for @everyone nothing more once the call is edited away', () => {
    const thread = room('ann', 'bo')
    thread.edit('mia', thread.say('mia', '@everyone hi'), '@bo hi')
    expect(opened(thread)).toEqual([requestOf('bo', 2, { message: toOffset(1) })])
  })
})

describe('hops', () => {
  test.each([
    [MOST_HOPS, ['ann@1']],
    [MOST_HOPS + 1, []],
  ])('after %i a mention opens %j', (hops, owed) => {
    const thread = room('ann', 'bo')
    thread.botSays('bo', '@ann go', { hops })
    expect(thread.owed()).toEqual(owed)
    expect(MOST_HOPS).toBe(4)
  })

  test('of a thread count for all but persons', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], settings: { hops: 5 } })
    thread.botSays('bo', '@ann go', { hops: 6 })
    thread.hookSays('@ann go')
    thread.say('mia', '@bo go')
    const { thread: settings } = thread.view()
    expect(thread.entries.map((entry) => hopsOf(entry, settings))).toEqual([6, 5, 0])
    expect(thread.owed()).toEqual(['bo@3'])
  })
})

describe('a request is void', () => {
  test('the oldest first, when more than fifty are open', () => {
    const handles = Array.from({ length: 26 }, (_, at) => `b${String.fromCharCode(97 + at)}`)
    const thread = directorTrace({ bots: handles.map((handle) => bot(handle)) })
    thread.say('mia', '@everyone one')
    thread.say('mia', `@${handles.slice(0, 24).join(' @')} two`)
    expect([thread.owed().length, thread.view().voided]).toEqual([MOST_REQUESTS, []])
    thread.say('mia', '@ba three')
    expect(MOST_REQUESTS).toBe(50)
    expect(thread.owed()).toHaveLength(50)
    expect(thread.owed()[0]).toBe('bb@1')
    expect(thread.view().voided).toEqual([{ bot: agent('ba'), entry: 1, why: 'too_many' }])
  })

  test('after an edit only where a mention had opened it', () => {
    const thread = room('ann', 'bo')
    thread.botSays('ann', 'hm')
    const said = thread.say('mia', '@bo hi', { replyTo: toOffset(1) })
    thread.pass({ turn: () => ({ status: 'passed' }) })
    thread.edit('mia', said, 'hi')
    expect(thread.owed()).toEqual(['ann@2'])
  })

  test('not when an edit still names everyone', () => {
    const thread = room('ann', 'bo')
    const said = thread.say('mia', '@ann @bo hi')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    const author = { id: person('mia'), kind: 'person' as const }
    const body = { target: said, text: '@everyone hi', everyone: true }
    thread.append('chat.edit', author, { wakes: false, body })
    expect(thread.owed()).toEqual(['bo@1'])
  })

  test.each([
    ['deleted', (thread: Thread) => thread.remove('mia', toOffset(1))],
    ['edited', (thread: Thread) => thread.edit('mia', toOffset(1), 'hi')],
    ['muted', (thread: Thread) => thread.set('bo', { muted: true })],
    ['left', (thread: Thread) => thread.leave('bo')],
  ] as const)('and says so: %s', (why, change) => {
    const thread = room('ann', 'bo')
    thread.say('mia', '@ann @bo hi')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    change(thread)
    expect(thread.view()).toMatchObject({
      requests: [],
      voided: [{ bot: agent('bo'), entry: 1, why }],
    })
  })

  test('once its bot has left, named as such even when nothing had opened before', () => {
    const thread = room('bo')
    thread.say('mia', '@ann hi')
    expect(thread.view()).toMatchObject({
      requests: [],
      voided: [{ bot: agent('ann'), entry: 1, why: 'left' }],
    })
  })
})

describe('a mute that ends by itself', () => {
  const HOUR = 3_600_000

  /** bo was named and passed over by ann's turn, and is muted for an hour after that. */
  function mutedRoom() {
    const thread = room('ann', 'bo')
    thread.say('mia', '@ann @bo hi')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    thread.mute('bo', HOUR)
    return thread
  }
  const read = (thread: Thread) => {
    const { requests, voided } = thread.view()
    return { owed: requests.map(({ bot: id, entry }) => [id, entry]), voided }
  }
  const gone = (entry: number) => ({ bot: agent('bo'), entry, why: 'muted' })

  test('leaves void what was owed before it, though no decision came by meanwhile', () => {
    const thread = mutedRoom()
    thread.later(HOUR)
    expect(read(thread)).toEqual({ owed: [], voided: [gone(1)] })
  })

  test('leaves void what was asked within it, though it is decided later', () => {
    const thread = mutedRoom()
    thread.later(HOUR - 1)
    thread.say('mia', '@bo still there?')
    thread.later(1)
    expect(read(thread)).toEqual({ owed: [], voided: [gone(1), gone(2)] })
  })

  test('is over for what is asked from its end on', () => {
    const thread = mutedRoom()
    thread.later(HOUR)
    thread.say('mia', '@bo welcome back')
    expect(read(thread)).toEqual({ owed: [[agent('bo'), 2]], voided: [gone(1)] })
    expect(thread.rest()).toEqual(['bo: mention', 'nobody: bot_spoke'])
  })

  test('is told with its end: to whoever named the bot, and among the candidates', () => {
    const thread = mutedRoom()
    thread.say('mia', '@bo hello')
    expect(thread.rest()).toEqual(['nobody: named_unavailable'])
    const why = { why: 'muted', until: '2026-01-01T01:00:00.000Z' }
    expect(thread.decisions.at(-1)).toMatchObject({
      about: [{ id: agent('bo'), ...why }],
      candidates: [{ id: agent('ann') }, { id: agent('bo'), eligible: false, ...why }],
    })
  })
})

test('unmuting revives nothing that was owed before the mute', () => {
  const thread = room('ann', 'bo')
  thread.say('mia', '@ann @bo hi')
  thread.pass({ turn: () => ({ status: 'passed' }) })
  thread.mute('bo')
  thread.unmute('bo')
  expect(thread.rest()).toEqual([])
})

describe('what is still owed', () => {
  const decision = (speaker: string | null): DecisionBody => {
    const thread = room('ann', 'bo')
    thread.say('mia', '@ann @bo')
    const stored = thread.pass()
    if (stored === undefined) throw new Error('nothing was decided')
    return { ...stored, speaker: speaker === null ? null : agent(speaker) }
  }
  const outcome = (over = {}) => {
    const { text: _, ...figures } = resultOf('ok')
    return { ...figures, d: 1, closes: true, voided: [], ...over }
  }
  const owed = (parts: Parameters<typeof stillOwed>[0]) => stillOwed(parts).map(({ bot: id }) => id)

  test('is nothing before the first decision', () => {
    expect(owed({ lastDecision: undefined, lastOutcome: undefined })).toEqual([])
  })

  test('is all while nobody has spoken', () => {
    const both = [agent('ann'), agent('bo')]
    expect(owed({ lastDecision: decision(null), lastOutcome: undefined })).toEqual(both)
    expect(owed({ lastDecision: decision('ann'), lastOutcome: undefined })).toEqual(both)
  })

  test('is what the speaker did not serve and its outcome did not void', () => {
    const lastDecision = decision('ann')
    expect(owed({ lastDecision, lastOutcome: outcome() })).toEqual([agent('bo')])
    const voided = [{ bot: agent('bo'), entry: toOffset(1), why: 'stopped' as const }]
    expect(owed({ lastDecision, lastOutcome: outcome({ voided }) })).toEqual([])
    const another = [{ bot: agent('bo'), entry: toOffset(2), why: 'stopped' as const }]
    expect(owed({ lastDecision, lastOutcome: outcome({ voided: another }) })).toEqual([agent('bo')])
    const others = [{ bot: agent('cy'), entry: toOffset(1), why: 'stopped' as const }]
    expect(owed({ lastDecision, lastOutcome: outcome({ voided: others }) })).toEqual([agent('bo')])
  })

  test('is served by its bot’s turn that covers it, and by no other', () => {
    const lastDecision = decision('ann')
    expect([
      isServedBy(lastDecision, requestOf('ann', 1)),
      isServedBy(lastDecision, requestOf('ann', 2)),
      isServedBy(lastDecision, requestOf('bo', 1)),
    ]).toEqual([true, false, false])
  })

  test('is not opened again by a range that is decided a second time', () => {
    const thread = room('ann', 'bo', 'cy')
    thread.say('mia', '@cy hi')
    thread.leave('cy')
    thread.say('mia', 'somebody?')
    thread.pass({ pick: () => 'ann', turn: () => ({ status: 'passed' }) })
    expect(thread.decidedOffset).toBe(0)
    expect([thread.view().requests, thread.view().voided]).toEqual([[], []])
  })
})

test('an id that is no agent’s opens nothing', () => {
  const thread = room('ann')
  const author = { id: person('mia'), kind: 'person' as const }
  const body = { text: 'hi', mentions: [toActorId('usr_gone')] }
  thread.append('chat', author, { wakes: true, body })
  expect([thread.view().requests, thread.view().voided]).toEqual([[], []])
})
