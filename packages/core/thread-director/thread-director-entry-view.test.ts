import { toActorId, toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace, person } from '../../../test/support/director-trace.ts'
import { hopsOfRange, isWordOfPerson, viewOf } from './thread-director-entry-view.ts'

const room = (settings = {}) =>
  directorTrace({ bots: [bot('ann'), bot('bo')], people: ['mia', 'ben'], settings })

test('[B15] a text is read with the handles of today, and asks whom it asked', () => {
  const thread = room()
  const names = [{ id: agent('ann'), handle: 'ann' }]
  const body = { text: '@ann hi, `@ann`', mentions: [agent('ann')], names }
  thread.append('chat', { id: person('mia'), kind: 'person' }, { body, wakes: true })
  thread.set('ann', { handle: 'anna' })
  const { texts, requests } = thread.view()
  expect(texts.map((said) => said.text)).toEqual(['@anna hi, `@ann`'])
  expect(requests.map((request) => request.bot)).toEqual([agent('ann')])
})

describe('a range', () => {
  test('is empty at the decided offset when nothing is unread', () => {
    const thread = room()
    thread.say('mia', '@ann hi')
    thread.rest()
    const { from, to, seen, covers, unread } = thread.view()
    expect({ from, to, seen, covers, unread }).toEqual({
      from: 2,
      to: 2,
      seen: 2,
      covers: false,
      unread: [],
    })
  })

  test('ends at the last waking entry and may read what stands after it', () => {
    const thread = room()
    thread.say('mia', 'hi')
    thread.say('ben', 'imported', { wakes: false })
    const { from, to, seen, covers } = thread.view()
    expect({ from, to, seen, covers }).toEqual({ from: 0, to: 1, seen: 2, covers: true })
  })

  test('holds at most a hundred waking entries', () => {
    const thread = room()
    for (let at = 0; at < 101; at += 1) thread.say('mia', 'm')
    const capture = thread.capture()
    expect(viewOf(capture).to).toBe(100)
    expect(viewOf({ ...capture, unread: capture.tail }).to).toBe(100)
  })

  // A text of 1,950 characters counts 488 tokens and 16 for its line: five make 2,520, six more than half the budget.
  test('holds at most half the token budget, and what did not fit comes next', () => {
    const thread = room()
    for (let at = 0; at < 7; at += 1) thread.say('mia', 'x'.repeat(1_950))
    expect(thread.view().to).toBe(5)
    thread.pass()
    expect(thread.view()).toMatchObject({ from: 5, to: 7 })
  })

  test('holds what just fits half the budget', () => {
    const thread = room()
    // Six times (16 + 484): 3,000 tokens.
    for (let at = 0; at < 7; at += 1) thread.say('mia', 'x'.repeat(1_934))
    expect(thread.view().to).toBe(6)
  })

  test('holds one entry however long it is, since only its ends are read', () => {
    const thread = room()
    thread.say('mia', 'x'.repeat(250_000))
    thread.say('mia', 'short')
    expect(thread.view().to).toBe(2)
  })

  test('counts texts as they read now and deleted ones not at all', () => {
    const thread = room()
    for (let at = 0; at < 7; at += 1) thread.say('mia', 'x'.repeat(1_950))
    thread.edit('mia', toOffset(1), 'short')
    thread.remove('mia', toOffset(2))
    expect(thread.view().to).toBe(7)
  })

  test('counts an edit that asks a bot by its text', () => {
    const thread = room()
    const said = thread.say('mia', 'hi')
    thread.rest()
    thread.edit('mia', said, `@ann ${'x'.repeat(1_950)}`)
    for (let at = 0; at < 5; at += 1) thread.say('mia', 'x'.repeat(1_950))
    expect(thread.view()).toMatchObject({ from: 1, to: 6 })
  })

  test('never shrinks when it is decided a second time', () => {
    const thread = room()
    for (let at = 0; at < 6; at += 1) thread.say('mia', 'short')
    thread.pass({ pick: () => 'ann', turn: () => ({ status: 'passed' }) })
    for (let at = 1; at <= 6; at += 1) thread.edit('mia', toOffset(at), 'x'.repeat(1_950))
    thread.say('mia', 'late')
    expect(thread.view()).toMatchObject({ from: 0, to: 6 })
  })
})

describe('texts', () => {
  test('are what people read now', () => {
    const thread = room()
    thread.botSays('ann', 'done', { wakes: false })
    thread.later(60_000)
    const said = thread.say('mia', '@bo hi', { replyTo: toOffset(1) })
    thread.later(60_000)
    thread.edit('mia', said, '@bo @@ben hello')
    thread.edit('mia', said, '@@ben hello all @everyone')
    thread.remove('mia', thread.say('mia', 'gone'))
    expect(thread.view().texts).toEqual([
      {
        entry: 2,
        author: person('mia'),
        authorKind: 'person',
        text: '@@ben hello all @everyone',
        mentions: [person('ben')],
        everyone: true,
        isReply: true,
        answers: agent('ann'),
        wakes: true,
        at: Date.UTC(2026, 0, 1, 0, 1),
      },
    ])
  })

  test('[D18] stand and change in the order of the stream, also where a clock ran backwards', () => {
    const thread = room()
    const first = thread.say('mia', '@bo first')
    thread.edit('mia', first, '@bo mended')
    thread.later(-3_600_000)
    thread.edit('mia', first, '@bo mended again')
    thread.say('ben', '@ann second')
    const capture = thread.capture()
    const view = viewOf({ ...capture, tail: capture.tail.toReversed() })
    expect(view.texts.map(({ text }) => text)).toEqual(['@bo mended again', '@ann second'])
    expect(view.requests.map(({ bot: id }) => id)).toEqual([agent('bo'), agent('ann')])
  })

  test('hold an edit that asks a bot when its message was covered before', () => {
    const thread = room()
    const said = thread.say('mia', 'hi')
    thread.rest()
    const edit = thread.edit('mia', said, '@ann hi')
    expect(thread.view().texts).toEqual([
      {
        entry: edit,
        author: person('mia'),
        authorKind: 'person',
        text: '@ann hi',
        mentions: [agent('ann')],
        everyone: false,
        isReply: false,
        answers: undefined,
        wakes: true,
        at: Date.UTC(2026, 0, 1),
      },
    ])
  })

  test('are no asks and no settings', () => {
    const thread = room()
    thread.ask('mia', 'ann')
    thread.goOn('mia')
    const { texts, unread } = thread.view()
    expect([texts, unread.map(({ kind }) => kind)]).toEqual([[], ['thread.ask', 'thread.continue']])
  })
})

test('a reply answers a bot only where it replies to a bot’s message', () => {
  const thread = room()
  thread.say('ben', 'hi', { wakes: false })
  thread.ask('mia', 'ann')
  thread.botSays('bo', 'hi', { wakes: false })
  for (const replyTo of [1, 2, 3]) thread.say('mia', 'why?', { replyTo: toOffset(replyTo) })
  expect(thread.view().texts.map(({ answers }) => answers)).toEqual([
    undefined,
    undefined,
    agent('bo'),
  ])
})

describe('the context', () => {
  test('is what was covered before and what never woke anybody, as it reads now', () => {
    const thread = room()
    const said = thread.say('mia', 'first')
    thread.remove('mia', thread.say('mia', 'second'))
    thread.rest()
    thread.edit('mia', said, 'first, mended')
    thread.say('mia', 'unread')
    thread.say('ben', 'imported', { wakes: false })
    expect(thread.view().context.map(({ text }) => text)).toEqual(['first, mended', 'imported'])
  })

  test('does not hold what waits behind the range', () => {
    const thread = room()
    for (let at = 0; at < 101; at += 1) thread.say('mia', `m${at}`)
    expect(thread.view().context).toEqual([])
  })

  test('is in the order of the thread, each once', () => {
    const thread = room()
    for (const text of ['a', 'b', 'c']) thread.say('mia', text, { wakes: false })
    const capture = thread.capture()
    const shuffled = { ...capture, tail: [...capture.tail.toReversed(), ...capture.tail] }
    expect(viewOf(shuffled).context.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })
})

describe('turns since a person spoke', () => {
  const turns = (thread: ReturnType<typeof room>) => thread.view().turns.map(({ to }) => to)

  test('count every turn, whatever came of it, until a person speaks again', () => {
    const thread = room()
    thread.say('mia', '@ann hi')
    thread.pass({ turn: () => ({ status: 'failed' }) })
    thread.botSays('bo', '@ann hi')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    expect(turns(thread)).toEqual([1, 2])
    thread.botSays('bo', 'hm')
    expect(turns(thread)).toEqual([1, 2])
    thread.say('mia', 'hm')
    expect(turns(thread)).toEqual([])
  })

  test('keep those that covered the last word of the range', () => {
    const thread = room()
    thread.say('mia', 'who?')
    thread.pass({ pick: () => 'ann', turn: () => ({ status: 'passed' }) })
    expect(turns(thread)).toEqual([1])
  })

  test('go on counting when a person says a deleted word, and not for a setting', () => {
    const thread = room()
    thread.say('mia', '@ann hi')
    thread.pass()
    const mute = { bot: agent('bo'), muted: false }
    const mia = { id: person('mia'), kind: 'person' as const }
    thread.append('thread.mute', mia, { wakes: true, body: mute })
    expect(turns(thread)).toEqual([1])
    thread.remove('mia', thread.say('mia', 'oops'))
    expect(turns(thread)).toEqual([])
  })

  test.each([
    ['chat', { text: 'hi' }, true],
    ['chat.edit', { target: 1, text: 'hi' }, true],
    ['thread.ask', { bot: 'agt_ann' }, true],
    ['thread.continue', {}, true],
    ['thread.stop', {}, false],
    ['thread.title', { title: 'x' }, false],
  ] as const)('begin anew after %s: %j, %s', (kind, body, counts) => {
    const thread = room()
    for (const author of ['person', 'webhook', 'bot'] as const) {
      thread.append(kind, { id: toActorId('any'), kind: author }, { wakes: true, body })
    }
    expect(thread.entries.map(isWordOfPerson)).toEqual([counts, false, false])
  })
})

describe('a second look', () => {
  test('knows who has passed on the range and how often a model was asked', () => {
    const thread = room()
    thread.say('mia', 'who?')
    thread.pass({ pick: () => 'ann', turn: () => ({ status: 'passed' }) })
    expect(thread.view()).toMatchObject({ passers: [agent('ann')], paidCalls: 1 })
    const capture = thread.capture()
    const { lastDecision } = capture
    const passedOn = lastDecision && { ...lastDecision, passedBy: [agent('cy')] }
    expect(viewOf({ ...capture, lastDecision: passedOn }).passers).toEqual([
      agent('cy'),
      agent('ann'),
    ])
    const unspoken = passedOn && { ...passedOn, speaker: null }
    expect(viewOf({ ...capture, lastDecision: unspoken }).passers).toEqual([agent('cy')])
  })

  test('is none after a range that was closed', () => {
    const thread = room()
    thread.say('mia', '@ann hi')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    thread.say('mia', 'who?')
    expect(thread.view()).toMatchObject({ passers: [], paidCalls: 0 })
  })
})

test('a turn that serves no request takes the highest hops of its range', () => {
  const thread = room({ hops: 1 })
  expect(hopsOfRange(thread.view())).toBe(0)
  thread.say('mia', 'hi')
  expect(hopsOfRange(thread.view())).toBe(0)
  thread.botSays('bo', 'hi', { hops: 3 })
  thread.hookSays('hi')
  expect(hopsOfRange(thread.view())).toBe(3)
})
