import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import { decide } from './thread-director-rules.ts'

const nobody = { kind: 'free', rule: 'backlog', speaker: null, about: [] }
const room = () =>
  directorTrace({ bots: [bot('ann'), bot('bo'), bot('cy')], people: ['mia', 'ben'] })

type Thread = ReturnType<typeof room>
const many = (thread: Thread, count: number): void => {
  for (let at = 0; at < count; at += 1) thread.say('mia', `message ${at}`)
}

describe('while more was said behind a range', () => {
  test.each<[string, (thread: Thread) => unknown]>([
    ['nobody is asked by a model', () => {}],
    ['a mention waits', (thread) => thread.say('mia', '@ann hi')],
    ['an Ask waits', (thread) => thread.ask('mia', 'ann')],
    ['Continue has no say', (thread) => thread.goOn('mia')],
    ['thanks have none', (thread) => thread.say('mia', 'thanks')],
  ])('%s', (_, first) => {
    const thread = room()
    first(thread)
    many(thread, 101)
    expect(decide(thread.view())).toEqual(nobody)
  })

  test('a debt from before waits for the end', () => {
    const thread = room()
    thread.mode('ann', 'mention')
    thread.say('mia', '@ann one, @bo two')
    thread.pass()
    many(thread, 101)
    expect(thread.owed()).toEqual(['bo@1'])
    expect(decide(thread.view())).toEqual(nobody)
  })

  test('the range has its hundred entries, however long they are', () => {
    const thread = room()
    for (let at = 0; at < 101; at += 1) thread.say('mia', 'x'.repeat(2_000))
    expect(thread.view()).toMatchObject({ from: 0, to: 100, more: true })
  })

  test('what does not fit the last range with the rest is its beginning', () => {
    const thread = room()
    for (let at = 0; at < 7; at += 1) thread.say('mia', 'x'.repeat(1_950))
    expect(thread.rest({ pick: () => 'bo' })).toEqual([
      'nobody: backlog',
      'bo: paid',
      'nobody: bot_spoke',
    ])
    expect(thread.decisions).toMatchObject([{ to: 5 }, { from: 5, to: 7 }, {}])
  })
})

describe('[J3] a bridge that comes back with a day of messages', () => {
  test('has its end decided once, and each bot that was named on the way answers once', () => {
    const thread = room()
    for (let at = 0; at < 1_000; at += 1)
      thread.say(at % 2 === 0 ? 'mia' : 'ben', at % 100 === 7 ? `@ann look at ${at}` : `${at}`)
    thread.ask('ben', 'cy')
    many(thread, 20)
    expect(thread.rest()).toEqual([
      ...Array.from({ length: 10 }, () => 'nobody: backlog'),
      'cy: asked',
      'ann: debt',
      'nobody: bot_spoke',
    ])
    expect(thread.decisions.find(({ speaker }) => speaker === agent('ann'))?.requests).toHaveLength(
      10,
    )
  })

  test('that names nobody costs one paid decision', () => {
    const thread = room()
    many(thread, 10_000)
    const lines = thread.rest({ pick: () => 'bo' })
    expect([lines.length, lines.filter((line) => line.includes('paid'))]).toEqual([
      101,
      ['bo: paid'],
    ])
  })
})

test('what is said while a bot works is decided when it is done, at its end', () => {
  const thread = room()
  thread.say('mia', '@ann hi')
  const lines = thread.rest({
    pick: () => 'bo',
    turn: (speaker) => {
      if (speaker === 'ann') many(thread, 150)
      return 'done.'
    },
  })
  expect(lines).toEqual(['ann: mention', 'nobody: backlog', 'bo: paid', 'nobody: bot_spoke'])
})
