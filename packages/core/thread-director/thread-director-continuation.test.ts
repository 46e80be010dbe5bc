import { toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import type { RosterBot } from './thread-director-port.ts'
import { decide } from './thread-director-rules.ts'

type Thread = ReturnType<typeof directorTrace>

const MINUTE_MS = 60_000

/** Mia has asked coder, coder has answered, and the thread rests. */
function exchange(): Thread {
  const thread = directorTrace({ bots: [bot('ann'), bot('coder')], people: ['mia', 'ben'] })
  thread.say('mia', '@coder how is it?')
  thread.rest()
  return thread
}

const goesOn = { kind: 'free', rule: 'continuation', speaker: agent('coder'), about: [] }
const paid = {
  kind: 'paid',
  candidates: [agent('ann'), agent('coder')],
  nobodyAllowed: true,
}

function decided(tell: (thread: Thread) => unknown): ReturnType<typeof decide> {
  const thread = exchange()
  tell(thread)
  return decide(thread.view())
}

const andTests = (thread: Thread) => thread.say('mia', 'and the tests?')

describe('a talk with one bot', () => {
  test('[B19] goes on with it at no cost, for as long as nobody else speaks', () => {
    const thread = exchange()
    for (const text of ['and the tests?', 'which of them?']) {
      thread.say('mia', text)
      expect(thread.rest()).toEqual(['coder: continuation', 'nobody: bot_spoke'])
    }
    expect(thread.decisions.map(({ cost }) => cost)).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('[B19] tells apart for whom a bridge writes', () => {
    const over = (name: string) => ({ via: { bridge: 'slack', id: name, name } })
    const thread = directorTrace({ bots: [bot('ann'), bot('coder')] })
    thread.say('mia', '@coder how is it?', over('Alice'))
    thread.rest()
    thread.say('mia', 'and the tests?', over('Bob'))
    expect(decide(thread.view())).toEqual(paid)
    thread.rest()
    thread.say('mia', '@coder how is it?', over('Bob'))
    thread.rest()
    thread.say('mia', 'and the tests?', over('Bob'))
    expect(decide(thread.view())).toEqual(goesOn)
  })

  test('[B19] ends with a message of somebody else in between', () => {
    const thread = exchange()
    thread.say('ben', '@@mia lunch?')
    expect(thread.rest()).toEqual(['nobody: to_people'])
    andTests(thread)
    expect(decide(thread.view())).toEqual(paid)
  })

  test.each<[string, (thread: Thread) => unknown, object]>([
    ['goes on over two texts', (t) => (t.say('mia', 'hm'), andTests(t)), goesOn],
    ['goes on after ten minutes', (t) => (t.later(10 * MINUTE_MS), andTests(t)), goesOn],
    ['ends later', (t) => (t.later(10 * MINUTE_MS + 1), andTests(t)), paid],
    ['is not another person’s', (t) => t.say('ben', 'and the tests?'), paid],
    ['ends where another person speaks too', (t) => (andTests(t), t.say('ben', 'yes')), paid],
    ['ends where a webhook speaks too', (t) => (andTests(t), t.hookSays('red')), paid],
    ['ends with a reply to a person', (t) => t.say('mia', 'so?', { replyTo: toOffset(1) }), paid],
    [
      'ends with a name among its texts',
      (t) => (andTests(t), t.say('mia', '@@ben do you know?')),
      paid,
    ],
    [
      'ends with an imported text of the person',
      (t) => (t.say('mia', 'from elsewhere', { wakes: false }), andTests(t)),
      paid,
    ],
    [
      'is not begun by an imported exchange',
      (t) => {
        t.say('mia', 'from elsewhere', { wakes: false })
        t.botSays('ann', 'from elsewhere too', { wakes: false })
        andTests(t)
      },
      paid,
    ],
    [
      'is not begun by an imported answer',
      (t) => {
        t.say('mia', '@@ben look')
        t.rest()
        t.botSays('ann', 'from elsewhere', { wakes: false })
        andTests(t)
      },
      paid,
    ],
    [
      'is not begun by an answer to an imported text',
      (t) => {
        t.say('mia', 'from elsewhere', { wakes: false })
        t.botSays('ann', 'I read it')
        t.rest()
        andTests(t)
      },
      paid,
    ],
    [
      'is not begun by an answer to somebody else',
      (t) => {
        t.say('ben', '@ann go')
        t.rest()
        andTests(t)
      },
      paid,
    ],
    ['ends with another bot’s words', (t) => (t.botSays('ann', 'hm'), t.rest(), andTests(t)), paid],
    [
      'ends with a text that nobody answered',
      (t) => (t.say('mia', 'thanks!'), t.rest(), andTests(t)),
      paid,
    ],
    [
      'is not ended by what a webhook has said',
      (t) => (t.hookSays('red'), t.rest(), andTests(t)),
      goesOn,
    ],
    [
      'needs no answer to thanks',
      (t) => t.say('mia', 'thanks!'),
      { kind: 'free', rule: 'acknowledgement', speaker: null, about: [] },
    ],
  ])('%s', (_, tell, answer) => {
    // The paid decisions on the way are nobody.
    expect(decided(tell)).toEqual(answer)
  })

  test('is none in the first message of a thread', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('coder')] })
    andTests(thread)
    expect(decide(thread.view())).toEqual(paid)
  })

  test('is none with a bot that has only spoken by itself', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('coder')] })
    thread.botSays('coder', 'hello')
    thread.rest()
    andTests(thread)
    expect(decide(thread.view())).toEqual(paid)
  })

  test('goes before a bot that answers always, and ignores that its own waits to be named', () => {
    const thread = exchange()
    thread.mode('ann', 'always')
    thread.mode('coder', 'mention')
    andTests(thread)
    expect(decide(thread.view())).toEqual(goesOn)
  })

  const silent: readonly {
    readonly state: string
    readonly over?: Partial<RosterBot>
    readonly seen?: Partial<DirectorView>
  }[] = [
    { state: 'is muted', over: { muted: true } },
    { state: 'is driven from outside', over: { external: true } },
    { state: 'is set to never', over: { mode: 'never' } },
    { state: 'has left', seen: { bots: [bot('ann')] } },
    { state: 'has passed on this', seen: { passers: [agent('coder')] } },
    {
      state: 'is at its limit',
      seen: { turns: Array.from({ length: 3 }, () => ({ bot: agent('coder'), to: toOffset(9) })) },
    },
  ]

  test.each(silent)('does not go on with a bot that $state', ({ over = {}, seen = {} }) => {
    const thread = exchange()
    thread.set('coder', over)
    andTests(thread)
    expect(decide({ ...thread.view(), ...seen })).toEqual({ ...paid, candidates: [agent('ann')] })
  })

  test('[C10] is never one of bots: their words are no continuation, also where banter is on', () => {
    const thread = directorTrace({
      bots: [bot('ann'), bot('bo'), bot('coder')],
      settings: { banter: true },
    })
    thread.botSays('ann', '@coder how is it?')
    expect(thread.rest({ turn: () => 'fine.' })).toEqual(['coder: mention', 'nobody: paid'])
    thread.botSays('ann', 'and the tests?')
    expect(thread.rest()).toEqual(['nobody: paid'])
  })
})
