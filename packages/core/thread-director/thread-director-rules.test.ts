import { toActorId, toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import {
  agent,
  bot,
  directorTrace,
  person,
  requestOf,
} from '../../../test/support/director-trace.ts'
import { MOST_HOPS } from '../threads/hops.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import { decide } from './thread-director-rules.ts'

type Thread = ReturnType<typeof directorTrace>

const nobody = (rule: string, about: readonly object[] = []) => ({
  kind: 'free',
  rule,
  speaker: null,
  about,
})
const speaks = (handle: string, rule: string) =>
  expect.objectContaining({ kind: 'free', rule, speaker: agent(handle) })
const paid = (...handles: string[]) => ({
  kind: 'paid',
  candidates: handles.map(agent),
  nobodyAllowed: true,
})

/** One person and two bots unless said otherwise. */
function decided(tell: (thread: Thread) => void, options = {}): ReturnType<typeof decide> {
  const thread = directorTrace({
    bots: [bot('ann'), bot('bo')],
    people: ['mia', 'ben'],
    ...options,
  })
  tell(thread)
  return decide(thread.view())
}

const limitOne = (over: Partial<DirectorView>) => {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo')], settings: { limitPerBot: 1 } })
  thread.botSays('bo', '@ann your turn')
  const view = thread.view()
  return { ...view, turns: [{ bot: agent('ann'), to: toOffset(0) }], ...over }
}

describe('no input', () => {
  test('all unread was deleted', () => {
    const deletes = (thread: Thread) => thread.remove('mia', thread.say('mia', '@ann hello'))
    expect(decided(deletes)).toEqual(nobody('no_input'))
  })

  test('an edit that named a bot counts as deleted with its message', () => {
    expect(
      decided((thread) => {
        const said = thread.say('mia', 'hello')
        thread.edit('mia', said, '@ann hello')
        thread.remove('mia', said)
      }),
    ).toEqual(nobody('no_input'))
  })

  test('what is left beside a deleted message is decided', () => {
    expect(
      decided((thread) => {
        thread.remove('mia', thread.say('mia', '@ann hello'))
        thread.say('mia', 'and you?')
      }),
    ).toEqual(paid('ann', 'bo'))
  })
})

describe('asks and mentions', () => {
  test('a person’s ask comes before an older mention of the same range', () => {
    expect(
      decided((thread) => {
        thread.say('mia', '@bo hello')
        thread.ask('mia', 'ann')
        thread.ask('mia', 'bo')
      }),
    ).toEqual(speaks('ann', 'asked'))
  })

  test('only a person’s ask counts', () => {
    expect(
      decided((thread) => {
        const author = { id: agent('bo'), kind: 'bot' as const }
        thread.append('thread.ask', author, { wakes: true, body: { bot: 'agt_ann' } })
      }),
    ).toEqual(nobody('no_text'))
  })

  test('the oldest message comes first, and in it the bot named first', () => {
    expect(
      decided((thread) => {
        thread.botSays('ann', 'I did')
        thread.say('mia', 'nice, why?', { replyTo: toOffset(1) })
        thread.say('mia', '@bo and @ann')
      }),
    ).toEqual(speaks('ann', 'reply_to'))
    expect(decided((thread) => thread.say('mia', '@bo and @ann'))).toEqual(speaks('bo', 'mention'))
  })

  test('in one message a mention comes before whom it replies to', () => {
    expect(
      decided((thread) => {
        thread.botSays('ann', 'I did')
        thread.say('mia', '@bo is that so?', { replyTo: toOffset(1) })
      }),
    ).toEqual(speaks('bo', 'mention'))
  })

  test('a request carries what the speaker was asked by', () => {
    expect(decided((thread) => thread.say('mia', '@bo go'))).toEqual({
      kind: 'free',
      rule: 'mention',
      speaker: agent('bo'),
      request: requestOf('bo', 1),
      about: [],
    })
  })

  test('@everyone by a person asks each bot that may speak, in the order of the roster', () => {
    const thread = directorTrace({
      bots: [
        bot('ann', { muted: true }),
        bot('bo', { mode: 'mention' }),
        bot('cy', { external: true }),
        bot('di', { mode: 'never' }),
        bot('ed'),
      ],
    })
    thread.say('mia', '@everyone status?')
    expect(thread.owed()).toEqual(['bo@1', 'ed@1'])
    expect(thread.rest()).toEqual(['bo: mention', 'ed: debt', 'nobody: bot_spoke'])
  })

  test('@everyone by a bot asks nobody', () => {
    expect(decided((thread) => thread.botSays('ann', '@everyone status?'))).toEqual(
      nobody('bot_spoke'),
    )
  })

  test('names in a handover are a report, but the bot that delegated is asked', () => {
    expect(decided((thread) => thread.handover('bo', 'report: @ann helped'))).toEqual(
      speaks('bo', 'handover'),
    )
  })

  test('a handover that the system agent did not write is ordinary text', () => {
    expect(
      decided((thread) => {
        const author = { id: agent('ann'), kind: 'bot' as const }
        const handover = { childThreadId: 'thr_2', status: 'completed' }
        const body = { text: '@bo', mentions: [agent('bo')], handover }
        thread.append('chat', author, { wakes: true, body })
      }),
    ).toEqual(speaks('bo', 'mention'))
  })
})

describe('debts', () => {
  const owing = (bots = [bot('ann'), bot('bo'), bot('cy')]): Thread => {
    const thread = directorTrace({ bots, people: ['mia', 'ben'] })
    thread.say('mia', '@ann 1, @bo 2')
    thread.pass({ turn: () => '@cy 3' })
    return thread
  }

  test('a person’s debt comes before what a bot has just asked', () => {
    expect(decide(owing().view())).toEqual(speaks('bo', 'debt'))
  })

  test('a debt waits while a person has spoken', () => {
    const thread = owing()
    thread.say('mia', 'let me think about that')
    expect(decide(thread.view())).toEqual(speaks('cy', 'mention'))
  })

  test('a person who changes a setting has not spoken', () => {
    const thread = owing()
    const author = { id: person('mia'), kind: 'person' as const }
    const body = { bot: agent('ann'), muted: false }
    thread.append('thread.mute', author, { wakes: true, body })
    expect(decide(thread.view())).toEqual(speaks('bo', 'debt'))
  })

  test('a bot’s debt is paid when nothing is unread', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
    thread.botSays('ann', '@bo go')
    const view = thread.view()
    const rested = { ...view, from: view.to, covers: false, unread: [], texts: [] }
    const request = requestOf('bo', 1, { person: false })
    expect(decide(rested)).toEqual({
      kind: 'free',
      rule: 'owed',
      speaker: agent('bo'),
      request,
      owedAfter: 'no_text',
      about: [],
    })
  })

  test('a nobody that speaks about bots still does when a debt follows', () => {
    const thread = owing([bot('ann'), bot('bo'), bot('cy', { muted: true })])
    thread.say('mia', '@cy are you there?')
    expect(decide(thread.view())).toMatchObject({
      rule: 'owed',
      owedAfter: 'named_unavailable',
      speaker: agent('bo'),
      about: [{ id: agent('cy'), why: 'muted' }],
    })
  })

  test('nothing unread and nothing owed is nobody', () => {
    expect(decided(() => undefined)).toEqual(nobody('no_text'))
  })
})

describe('Continue', () => {
  test('serves the oldest request that can be served', () => {
    const thread = directorTrace({
      bots: [bot('ann'), bot('bo'), bot('cy')],
      settings: { limitPerThread: 1 },
    })
    thread.say('mia', '@ann go')
    thread.pass({ turn: () => '@bo and @cy' })
    thread.pass()
    thread.goOn('mia')
    expect(decide(thread.view())).toEqual(speaks('bo', 'continue'))
  })

  test('does not let the unread texts answer nobody', () => {
    expect(
      decided((thread) => {
        thread.say('mia', 'thanks')
        thread.goOn('mia')
      }),
    ).toEqual(paid('ann', 'bo'))
  })

  test('costs nothing where one bot answers always, or none may', () => {
    const goOn = (thread: Thread) => thread.goOn('mia')
    const bots = [bot('ann', { mode: 'always' }), bot('bo')]
    expect(decided(goOn, { bots })).toEqual(speaks('ann', 'always'))
    expect(decided(goOn, { bots: [] })).toEqual(nobody('no_bots'))
  })
})

describe('blocked', () => {
  test('a bot’s mention at the limit says whose limit', () => {
    expect(decide(limitOne({}))).toEqual(
      nobody('turn_limit', [{ id: agent('ann'), why: 'turn_limit' }]),
    )
  })

  test('each blocked bot is named once', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], settings: { limitPerThread: 1 } })
    thread.botSays('bo', '@ann one')
    thread.botSays('bo', '@ann two')
    const view = { ...thread.view(), turns: [{ bot: agent('bo'), to: toOffset(0) }] }
    expect(decide(view)).toEqual(nobody('turn_limit', [{ id: agent('ann'), why: 'turn_limit' }]))
  })

  // Ann is at her limit in each.
  const beside = (tell: (thread: Thread) => void, over: Partial<DirectorView> = {}) => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], settings: { limitPerBot: 1 } })
    tell(thread)
    return decide({ ...thread.view(), turns: [{ bot: agent('ann'), to: toOffset(9) }], ...over })
  }
  const annAtLimit = [{ id: agent('ann'), why: 'turn_limit' }]

  test('a handover beside the talk of bots is given to no other bot', () => {
    expect(
      beside((t) => (t.botSays('bo', 'well'), t.handover('ann'), t.botSays('bo', 'so'))),
    ).toEqual(nobody('turn_limit', annAtLimit))
  })

  test('a webhook’s text that asks nobody is decided about beside it', () => {
    expect(beside((t) => (t.handover('ann'), t.hookSays('red')))).toEqual(paid('bo'))
    expect(beside((t) => (t.handover('ann'), t.hookSays('@ann red')))).toEqual(
      nobody('turn_limit', annAtLimit),
    )
  })

  test('an older debt at the limit does not block a new text', () => {
    const requests = [requestOf('ann', 0, { person: false })]
    expect(beside((t) => t.hookSays('red'), { requests })).toEqual(paid('bo'))
  })

  test('a person’s mention at the limit is answered as one', () => {
    expect(beside((t) => t.say('mia', '@ann?'))).toEqual(nobody('named_unavailable', annAtLimit))
  })

  test('a limit among other reasons is the one that Continue can lift', () => {
    const bots = [bot('ann'), bot('cy', { mode: 'never' })]
    const requests = [requestOf('ann', 1), requestOf('cy', 1)]
    expect(beside((t) => t.hookSays('@ann @cy'), { bots, requests })).toEqual(
      nobody('turn_limit', [...annAtLimit, { id: agent('cy'), why: 'never' }]),
    )
  })

  test('a mode in the way is not told as a limit', () => {
    const bots = [bot('ann', { mode: 'never' }), bot('bo')]
    expect(decide(limitOne({ bots }))).toEqual(
      nobody('blocked', [{ id: agent('ann'), why: 'never' }]),
    )
  })

  test('a person’s text among them is decided about', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], settings: { limitPerBot: 1 } })
    thread.botSays('bo', '@ann your turn')
    thread.say('mia', 'what do you think?')
    const view = { ...thread.view(), turns: [{ bot: agent('ann'), to: toOffset(2) }] }
    expect(decide(view)).toEqual(paid('bo'))
  })
})

describe('what bots carried from thread to thread', () => {
  const far = (text: string) => (t: Thread) => t.botSays('ann', text, { hops: MOST_HOPS + 1 })
  const banter = { settings: { banter: true } }
  const always = { bots: [bot('ann'), bot('bo', { mode: 'always' })] }

  test.each<[string, (thread: Thread) => void, object, object]>([
    ['a bot that names another', far('@bo go on'), {}, nobody('hop_limit')],
    ['talk with banter on', far('well'), banter, nobody('hop_limit')],
    [
      'talk of which only a part came so far',
      (t) => (far('well')(t), t.botSays('bo', 'well')),
      banter,
      nobody('hop_limit'),
    ],
    ['talk that asks nobody', far('@ann @@mia well'), always, nobody('bot_spoke')],
    [
      'a webhook beside it, where a bot answers always',
      (t) => (far('well')(t), t.hookSays('red')),
      always,
      nobody('hop_limit'),
    ],
    [
      'a webhook in a thread that was made so far away',
      (t) => t.hookSays('red'),
      { ...always, settings: { hops: MOST_HOPS + 1 } },
      nobody('hop_limit'),
    ],
    [
      'a person beside it',
      (t) => (far('@bo go on')(t), t.say('mia', 'what now?')),
      {},
      paid('ann', 'bo'),
    ],
    [
      'a person who says Continue',
      (t) => (far('@bo go on')(t), t.goOn('mia')),
      {},
      paid('ann', 'bo'),
    ],
    ['one thread less', (t) => t.botSays('ann', 'well', { hops: MOST_HOPS }), banter, paid('bo')],
  ])('%s', (_, tell, options, answer) => {
    expect(decided(tell, options)).toEqual(answer)
  })
})

describe('texts', () => {
  test.each<[string, (thread: Thread) => void, object]>([
    ['bots among themselves', (t) => t.botSays('ann', 'well'), nobody('bot_spoke')],
    [
      'a bot and a webhook',
      (t) => (t.botSays('ann', 'well'), t.hookSays('red')),
      paid('ann', 'bo'),
    ],
    ['a webhook', (t) => t.hookSays('red'), paid('ann', 'bo')],
    ['a webhook that names a bot', (t) => t.hookSays('@bo red'), speaks('bo', 'mention')],
    ['a person to a person', (t) => t.say('mia', '@@ben lunch?'), nobody('to_people')],
    [
      'a person to a person, and to all',
      (t) => (t.say('mia', '@@ben lunch?'), t.say('mia', 'or anybody?')),
      paid('ann', 'bo'),
    ],
    [
      'a person to a person, beside a bot’s talk',
      (t) => (t.botSays('ann', 'well'), t.say('mia', '@@ben lunch?')),
      nobody('to_people'),
    ],
    [
      'a bot to a person',
      (t) => (t.botSays('ann', '@@ben lunch?'), t.hookSays('red')),
      paid('ann', 'bo'),
    ],
    ['a person to a person and a bot', (t) => t.say('mia', '@@ben @bo?'), speaks('bo', 'mention')],
    [
      'a person to everyone and a person',
      (t) => t.say('mia', '@everyone @@ben'),
      speaks('ann', 'mention'),
    ],
    ['thanks', (t) => t.say('mia', 'thanks!'), nobody('acknowledgement')],
    ['nothing but a question', (t) => t.say('mia', 'what now?'), paid('ann', 'bo')],
  ])('%s', (_, tell, answer) => {
    expect(decided(tell)).toEqual(answer)
  })

  test('with banter on, what a bot says is put before a model, but is not for that bot to answer', () => {
    const settings = { banter: true }
    const said = (thread: Thread) => thread.botSays('ann', '@@ben lunch?')
    expect(decided(said, { settings })).toEqual(paid('bo'))
    expect(decided(said, { settings, bots: [bot('ann')] })).toEqual(nobody('bot_spoke'))
    const both = (thread: Thread) => (said(thread), thread.botSays('bo', 'well'))
    expect(decided(both, { settings })).toEqual(paid('ann', 'bo'))
  })

  test('a text that names a person and a silent bot says why the bot is silent', () => {
    const bots = [bot('ann', { muted: true }), bot('bo')]
    const said = (thread: Thread) => thread.say('mia', '@@ben @ann look')
    expect(decided(said, { bots })).toEqual(
      nobody('named_unavailable', [{ id: agent('ann'), why: 'muted' }]),
    )
  })

  test('a reply to a person that names nobody is no message to people', () => {
    const reply = (thread: Thread) => {
      thread.say('ben', 'I think so', { wakes: false })
      thread.say('mia', 'why?', { replyTo: toOffset(1) })
    }
    expect(decided(reply)).toEqual(paid('ann', 'bo'))
  })

  test('a reply to a silent bot gets no stand-in', () => {
    const bots = [bot('ann', { mode: 'never' }), bot('bo')]
    const reply = (thread: Thread) => {
      thread.botSays('ann', 'hm', { wakes: false })
      thread.say('mia', '@@ben why?', { replyTo: toOffset(1) })
    }
    expect(decided(reply, { bots })).toEqual(
      nobody('named_unavailable', [{ id: agent('ann'), why: 'never' }]),
    )
  })

  test('@everyone where no bot may speak names each with its reason', () => {
    const bots = [bot('ann', { muted: true }), bot('bo', { external: true })]
    expect(decided((thread) => thread.say('mia', '@everyone?'), { bots })).toEqual(
      nobody('named_unavailable', [
        { id: agent('ann'), why: 'muted' },
        { id: agent('bo'), why: 'external' },
      ]),
    )
    expect(decided((thread) => thread.say('mia', '@everyone?'), { bots: [] })).toEqual(
      nobody('no_bots'),
    )
  })

  test('a text to nobody beside one to a silent bot is decided about', () => {
    const bots = [bot('ann', { muted: true }), bot('bo')]
    const two = (thread: Thread) => (thread.say('mia', '@ann?'), thread.say('mia', 'anybody?'))
    expect(decided(two, { bots })).toEqual(paid('bo'))
  })

  test('a silent bot beside one that was named and has passed leaves the choice open', () => {
    const thread = directorTrace({ bots: [bot('ann', { muted: true }), bot('bo'), bot('cy')] })
    thread.say('mia', '@ann or @bo?')
    const view = { ...thread.view(), requests: [] }
    expect(decide(view)).toEqual(paid('bo', 'cy'))
  })

  test('webhooks are no persons: what they say is neither to people nor thanks', () => {
    expect(
      decided((thread) => {
        const author = { id: toActorId('hook_ci'), kind: 'webhook' as const }
        const body = { text: 'thanks', mentions: [person('ben')] }
        thread.append('chat', author, { wakes: true, body })
      }),
    ).toEqual(paid('ann', 'bo'))
  })
})

describe('who is there', () => {
  const ask = (thread: Thread) => thread.say('mia', 'what now?')
  const always = (handle: string) => bot(handle, { mode: 'always' })

  test('a person alone with an always bot is answered, also for thanks', () => {
    const alone = { bots: [always('ann')], people: ['mia'] }
    expect(decided((thread) => thread.say('mia', 'thanks'), alone)).toEqual(speaks('ann', 'always'))
  })

  test.each([
    ['two people', { bots: [always('ann')], people: ['mia', 'ben'] }],
    ['two bots', { bots: [always('ann'), bot('bo')], people: ['mia'] }],
  ])('thanks among %s are not answered', (_, room) => {
    expect(decided((thread) => thread.say('mia', 'thanks'), room)).toEqual(
      nobody('acknowledgement'),
    )
  })

  test('a person alone with an auto bot is a matter for a model', () => {
    expect(decided(ask, { bots: [bot('ann')], people: ['mia'] })).toEqual(paid('ann'))
  })

  test('the only always bot answers', () => {
    expect(decided(ask, { bots: [bot('ann'), always('bo')] })).toEqual({
      kind: 'free',
      rule: 'always',
      speaker: agent('bo'),
      about: [],
    })
  })

  test('among several always bots one must answer', () => {
    expect(decided(ask, { bots: [bot('ann'), always('bo'), always('cy')] })).toEqual({
      kind: 'paid',
      candidates: [agent('bo'), agent('cy')],
      nobodyAllowed: false,
    })
  })

  test.each([
    ['none', [], 'no_bots'],
    ['bots that wait for mentions', [bot('ann', { mode: 'mention' })], 'mention_only'],
    [
      'a muted one and one that waits',
      [bot('ann', { muted: true }), bot('bo', { mode: 'mention' })],
      'mention_only',
    ],
    ['only muted ones', [bot('ann', { muted: true })], 'none_eligible'],
    ['only silent ones', [bot('ann', { mode: 'never' })], 'none_eligible'],
  ])('with %s there is nobody to ask', (_, bots, rule) => {
    expect(decided(ask, { bots })).toEqual(nobody(rule))
  })

  const spent = (over: Partial<DirectorView>) => {
    const bots = [bot('ann'), bot('bo', { mode: 'mention' }), bot('cy', { muted: true })]
    const thread = directorTrace({ bots, settings: { limitPerBot: 1 } })
    thread.say('mia', 'what now?')
    return decide({ ...thread.view(), ...over })
  }

  test('where a bot is out by its limit alone, the limit is the reason', () => {
    expect(spent({ turns: [{ bot: agent('ann'), to: toOffset(1) }] })).toEqual(
      nobody('turn_limit', [{ id: agent('ann'), why: 'turn_limit' }]),
    )
  })

  test('where the only candidate has passed, that is the reason', () => {
    expect(spent({ passers: [agent('ann')] })).toEqual(nobody('passed'))
  })
})
