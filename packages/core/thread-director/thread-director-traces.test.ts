import { toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace, type Turn } from '../../../test/support/director-trace.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import { decide, type PaidQuestion } from './thread-director-rules.ts'

const room = (...handles: string[]) => ({ bots: handles.map((handle) => bot(handle)) })
const mentionOnly = (...handles: string[]) => ({
  bots: handles.map((handle) => bot(handle, { mode: 'mention' })),
})

describe('requests', () => {
  test('[L1] a mention that lands during the turn of its bot is answered by a second turn', () => {
    const thread = directorTrace(room('ann'))
    thread.say('mia', '@ann do X')
    const turn: Turn = (_, { d }) => {
      if (d === 1) thread.say('mia', '@ann also Y')
      return `done ${d}`
    }
    expect(thread.rest({ turn })).toEqual(['ann: mention', 'ann: mention', 'nobody: bot_spoke'])
    expect(thread.decisions.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 3],
      [3, 4],
    ])
  })

  test.each([
    ['replies', 'done.'],
    ['passes', { status: 'passed' }],
    ['fails', { status: 'failed', error: 'no key' }],
    ['stays silent', { status: 'silent' }],
    ['is interrupted', { status: 'interrupted' }],
    ['reaches its bounds', { status: 'limit', text: 'so far.' }],
    ['loses the message that caused it', { status: 'cancelled', because: 'cause_deleted' }],
    ['has left before its turn', { status: 'cancelled', because: 'speaker_left' }],
  ] as const)('[L2] the second bot of two named is served when the first %s', (_, first) => {
    const thread = directorTrace(room('ann', 'coder'))
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = (speaker) => (speaker === 'ann' ? first : { status: 'passed' })
    const lines = thread.rest({ turn }).filter((line) => !line.startsWith('nobody'))
    expect(lines).toEqual(['ann: mention', 'coder: debt'])
  })

  test('[D1] what a person says during a turn is covered by the next decision, all of it, in order', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', '@ann do X')
    const during = ['and Y', 'or rather Z', 'no, Y']
    const read: (readonly string[])[] = []
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') for (const text of during) thread.say('mia', text)
      return 'done.'
    }
    const pick = (_: PaidQuestion, { texts }: DirectorView) => {
      read.push(texts.map(({ text }) => text))
      return 'bo'
    }
    expect(thread.rest({ turn, pick })).toEqual(['ann: mention', 'bo: paid', 'nobody: bot_spoke'])
    expect(read).toEqual([[...during, 'done.']])
    expect(thread.decisions[1]).toMatchObject({ from: 1, to: 5 })
  })

  test('[B11] of two bots named in one message the first speaks first, and the second is still owed', () => {
    const thread = directorTrace(room('coder', 'ann'))
    thread.say('mia', '@ann do X, then @coder review')
    thread.pass()
    expect(thread.owed()).toEqual(['coder@1'])
    expect(thread.rest()).toEqual(['coder: debt', 'nobody: bot_spoke'])
    expect(thread.owed()).toEqual([])
  })

  test('[L3] a question of a person between two named bots is decided before the older debt', () => {
    const thread = directorTrace(room('ann', 'coder', 'writer'))
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') thread.say('mia', 'what do you all think of Z?')
      return 'done.'
    }
    expect(thread.rest({ turn, pick: () => 'writer' })).toEqual([
      'ann: mention',
      'writer: paid',
      'coder: debt',
      'nobody: bot_spoke',
    ])
  })

  test('a model that answers nobody leaves the older debt to the next pass', () => {
    const thread = directorTrace(room('ann', 'coder', 'writer'))
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') thread.say('mia', 'I wonder about Z')
      return 'done.'
    }
    expect(thread.rest({ turn })).toEqual([
      'ann: mention',
      'nobody: paid',
      'coder: debt',
      'nobody: bot_spoke',
    ])
  })

  test('a free nobody for a new text makes room for the older debt at once', () => {
    const thread = directorTrace({ ...room('ann', 'coder'), people: ['mia', 'ben'] })
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') thread.say('mia', '@@ben lunch?')
      return 'done.'
    }
    expect(thread.rest({ turn })).toEqual([
      'ann: mention',
      'coder: owed after to_people',
      'nobody: bot_spoke',
    ])
  })

  test('[L5] three handovers for two bots make two turns', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.handover('ann')
    thread.handover('bo')
    thread.handover('ann')
    thread.pass()
    expect(thread.decisions[0]).toMatchObject({ speaker: agent('ann'), from: 0, to: 3 })
    expect(thread.owed()).toEqual(['bo@2'])
    expect(thread.rest()).toEqual(['bo: owed after bot_spoke', 'nobody: bot_spoke'])
  })

  test('[L6] a message deleted before it was decided about is covered and never looked at again', () => {
    const thread = directorTrace(room('ann'))
    const message = thread.say('mia', '@ann hello')
    thread.remove('mia', message)
    expect(thread.rest()).toEqual(['nobody: no_input'])
    expect(thread.decidedOffset).toBe(1)
    expect(thread.rest()).toEqual([])
  })

  test('a stopped bot is not owed its turn again, nor is anybody else up to there', () => {
    const thread = directorTrace(room('ann', 'coder'))
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = () => {
      thread.say('mia', '@coder now')
      return { status: 'cancelled', because: 'stopped' }
    }
    thread.pass({ turn })
    expect(thread.outcomes[0]?.voided).toEqual([{ bot: agent('coder'), entry: 1, why: 'stopped' }])
    expect(thread.rest()).toEqual(['coder: mention', 'nobody: bot_spoke'])
  })

  test('[L16] Stop before anything was decided: nobody speaks for the range, and all that is owed up to it is void', () => {
    const thread = directorTrace(room('ann', 'coder'))
    thread.say('mia', '@ann X, @coder review')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    thread.say('mia', '@ann hello?')
    thread.stop()
    expect(thread.decisions[1]).toMatchObject({
      rule: 'stopped',
      speaker: null,
      from: 1,
      to: 2,
      voided: [
        { bot: agent('coder'), entry: 1, why: 'stopped' },
        { bot: agent('ann'), entry: 2, why: 'stopped' },
      ],
    })
    expect(thread.rest()).toEqual([])
  })

  test('[L12] an imported mention opens no request and is context only', () => {
    const thread = directorTrace(room('ann'))
    thread.say('mia', '@ann from elsewhere', { wakes: false })
    expect(thread.rest()).toEqual([])
    thread.say('mia', 'what about that?')
    const view = thread.view()
    expect(view.requests).toEqual([])
    expect(view.context.map(({ text }) => text)).toEqual(['@ann from elsewhere'])
  })

  test('[L13] a mention of a bot set to never owes it nothing later', () => {
    const thread = directorTrace({ bots: [bot('ann', { mode: 'never' }), bot('bo')] })
    thread.say('mia', '@ann hello')
    expect(thread.rest()).toEqual(['nobody: named_unavailable'])
    thread.mode('ann', 'always')
    expect(thread.rest()).toEqual([])
  })

  test('[L13] a bot at its limit is served as soon as the limit is raised', () => {
    const thread = directorTrace({ ...room('ann', 'bo'), settings: { limitPerBot: 1 } })
    thread.say('mia', '@ann start')
    const turn: Turn = (speaker) => (speaker === 'ann' ? '@bo go' : '@ann again')
    expect(thread.rest({ turn })).toEqual(['ann: mention', 'bo: mention', 'nobody: turn_limit'])
    expect(thread.owed()).toEqual(['ann@3'])
    thread.configure({ limitPerBot: 2 })
    expect(thread.rest()).toEqual(['ann: owed after no_text', 'nobody: bot_spoke'])
  })

  test('a mode that blocks a debt leaves it open', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', '@ann X, @bo Y')
    thread.pass()
    thread.mode('bo', 'never')
    expect(thread.rest()).toEqual(['nobody: bot_spoke'])
    expect(thread.owed()).toEqual(['bo@1'])
    thread.mode('bo', 'auto')
    expect(thread.rest()).toEqual(['bo: debt', 'nobody: bot_spoke'])
  })

  test('[L17] a mention blocked by the limit is answered by no other bot, and Continue serves it', () => {
    const thread = directorTrace({ ...room('ann', 'bo', 'cy'), settings: { limitPerBot: 1 } })
    thread.say('mia', '@ann start')
    const turn: Turn = (speaker) => (speaker === 'bo' ? '@ann back to you' : '@bo over')
    expect(thread.rest({ turn })).toEqual(['ann: mention', 'bo: mention', 'nobody: turn_limit'])
    expect(thread.decisions.at(-1)?.about).toEqual([{ id: agent('ann'), why: 'turn_limit' }])
    thread.goOn('mia')
    expect(thread.rest({ turn: () => 'done.' })).toEqual(['ann: continue', 'nobody: bot_spoke'])
  })

  test('[L4] a handover that arrives at the limit waits, and Continue has it answered by its bot', () => {
    const thread = directorTrace({ ...room('ann', 'bo'), settings: { limitPerBot: 1 } })
    thread.say('mia', '@ann build it')
    thread.pass()
    thread.handover('ann')
    expect(thread.rest({ pick: () => 'bo' })).toEqual(['nobody: turn_limit'])
    expect(thread.decisions.at(-1)?.about).toEqual([{ id: agent('ann'), why: 'turn_limit' }])
    expect(thread.owed()).toEqual(['ann@3'])
    thread.goOn('mia')
    expect(thread.rest()).toEqual(['ann: continue', 'nobody: bot_spoke'])
  })

  test('[L17] a handover at the limit does not keep a webhook’s text from being answered', () => {
    const thread = directorTrace({ ...room('ann', 'bo'), settings: { limitPerBot: 1 } })
    thread.say('mia', '@ann build it')
    thread.pass()
    thread.handover('ann')
    thread.hookSays('the build is red')
    expect(thread.rest({ pick: () => 'bo' })).toEqual(['bo: paid', 'nobody: bot_spoke'])
    expect(thread.owed()).toEqual(['ann@3'])
  })

  test('a mention by a bot that a mode blocks says so and stays open', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.botSays('ann', '@bo your turn')
    const view = { ...thread.view(), bots: [bot('ann'), bot('bo', { mode: 'never' })] }
    expect(decide(view)).toEqual({
      kind: 'free',
      rule: 'blocked',
      speaker: null,
      about: [{ id: agent('bo'), why: 'never' }],
    })
  })

  test.each([
    ['muted', { muted: true }, 'muted'],
    ['driven from outside', { external: true }, 'external'],
    ['set to never', { mode: 'never' }, 'never'],
  ] as const)('[L18] a text that names only a bot that is %s gets no stand-in', (_, over, why) => {
    const thread = directorTrace({ bots: [bot('ann', over), bot('bo', { mode: 'always' })] })
    thread.say('mia', '@ann are you there?')
    expect(thread.rest()).toEqual(['nobody: named_unavailable'])
    expect(thread.decisions[0]?.about).toEqual([{ id: agent('ann'), why }])
  })

  test('[L18] a text that names only a bot that has left gets no stand-in', () => {
    const thread = directorTrace(room('bo'))
    thread.say('mia', '@ann are you there?')
    expect(thread.rest()).toEqual(['nobody: named_unavailable'])
    expect(thread.decisions[0]).toMatchObject({
      about: [{ id: agent('ann'), why: 'left' }],
      voided: [{ bot: agent('ann'), entry: 1, why: 'left' }],
    })
  })

  test('[L19] a paid pick that has left before its turn is replaced by one more choice among the rest', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy'))
    thread.say('mia', 'who can help?')
    const turn: Turn = (speaker) => {
      if (speaker !== 'ann') return 'here.'
      thread.leave('ann')
      return { status: 'cancelled', because: 'speaker_left' }
    }
    const asked: (readonly string[])[] = []
    const lines = thread.rest({
      turn,
      pick: ({ candidates }) => {
        asked.push(candidates)
        return candidates.includes(agent('ann')) ? 'ann' : 'bo'
      },
    })
    expect(lines).toEqual(['ann: paid', 'bo: paid', 'nobody: bot_spoke'])
    expect(asked).toEqual([
      [agent('ann'), agent('bo'), agent('cy')],
      [agent('bo'), agent('cy')],
    ])
    expect(thread.outcomes.map(({ closes }) => closes)).toEqual([false, true])
  })

  test('[L20] a mention that arrives while a paid pick passes is served in its place', () => {
    const thread = directorTrace(room('ann', 'coder'))
    thread.say('mia', 'who can help?')
    const turn: Turn = (speaker) => {
      if (speaker !== 'ann') return 'done.'
      thread.say('mia', '@coder perhaps you')
      return { status: 'passed' }
    }
    expect(thread.rest({ turn, pick: () => 'ann' })).toEqual([
      'ann: paid',
      'coder: mention',
      'nobody: bot_spoke',
    ])
    expect(thread.decisions[1]).toMatchObject({ from: 0, to: 2, passedBy: [agent('ann')] })
  })

  test('a passer keeps what was asked of it after the range it passed on', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', 'who can help?')
    const turn: Turn = (_, { d }) => {
      if (d > 1) return 'done.'
      thread.say('mia', '@ann please')
      return { status: 'passed' }
    }
    expect(thread.rest({ turn, pick: () => 'ann' })).toEqual([
      'ann: paid',
      'ann: mention',
      'nobody: bot_spoke',
    ])
  })

  test('a passer has answered what it was owed up to the range it passed on', () => {
    const thread = directorTrace(room('ann', 'coder', 'writer'))
    thread.say('mia', '@ann X, @coder review')
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') thread.say('mia', 'what do you all think of Z?')
      return speaker === 'coder' ? { status: 'passed' } : 'done.'
    }
    const pick = ({ candidates }: PaidQuestion) =>
      candidates.includes(agent('coder')) ? 'coder' : 'writer'
    expect(thread.rest({ turn, pick })).toEqual([
      'ann: mention',
      'coder: paid',
      'writer: paid',
      'nobody: bot_spoke',
    ])
  })

  test('two paid decisions a range are the most: the second pass closes it', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy'))
    thread.say('mia', 'who can help?')
    const lines = thread.rest({
      turn: () => ({ status: 'passed' }),
      pick: ({ candidates }) => candidates[0]?.slice(4) ?? null,
    })
    expect(lines).toEqual(['ann: paid', 'bo: paid'])
    expect(thread.decisions.map(({ paidCalls }) => paidCalls)).toEqual([1, 2])
    expect(thread.outcomes.map(({ closes }) => closes)).toEqual([false, true])
  })

  test('a paid pick that passes leaves nobody to ask when it was the only one', () => {
    const thread = directorTrace(room('ann'))
    thread.say('mia', 'who can help?')
    const turn: Turn = () => ({ status: 'passed' })
    expect(thread.rest({ turn, pick: () => 'ann' })).toEqual(['ann: paid', 'nobody: passed'])
  })

  test('[L22] Continue with nothing owed puts the tail before a model', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', '@ann start')
    expect(thread.rest()).toEqual(['ann: mention', 'nobody: bot_spoke'])
    thread.botSays('bo', 'just saying')
    thread.goOn('mia')
    expect(thread.rest({ pick: () => 'bo' })).toEqual(['bo: paid', 'nobody: bot_spoke'])
  })

  test('an ask ignores mode and limit, also as a debt', () => {
    const thread = directorTrace({
      bots: [bot('ann'), bot('bo', { mode: 'never' })],
      settings: { limitPerThread: 1 },
    })
    thread.ask('mia', 'ann')
    thread.ask('mia', 'bo')
    expect(thread.rest()).toEqual(['ann: asked', 'bo: debt', 'nobody: bot_spoke'])
  })

  test('an ask of a muted bot is void', () => {
    const thread = directorTrace({ bots: [bot('ann', { muted: true }), bot('bo')] })
    thread.ask('mia', 'ann')
    expect(thread.rest()).toEqual(['nobody: no_text'])
    expect(thread.decisions[0]?.voided).toEqual([{ bot: agent('ann'), entry: 1, why: 'muted' }])
  })

  test('muting or removing a bot that is owed a turn voids its request for good', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy'))
    thread.say('mia', '@ann 1, @bo 2, @cy 3')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    thread.set('bo', { muted: true })
    thread.leave('cy')
    thread.say('mia', '@ann 4')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    expect(thread.decisions[1]?.voided).toEqual([
      { bot: agent('bo'), entry: 1, why: 'muted' },
      { bot: agent('cy'), entry: 1, why: 'left' },
    ])
    thread.set('bo', { muted: false })
    expect(thread.rest()).toEqual([])
  })

  test('[L21] a bot that a person named goes before the talk of bots', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy'))
    thread.say('mia', '@ann X, @cy Y')
    const turn: Turn = (speaker) => (speaker === 'ann' ? '@bo your turn' : 'done.')
    expect(thread.rest({ turn })).toEqual([
      'ann: mention',
      'cy: debt',
      'bo: owed after bot_spoke',
      'nobody: bot_spoke',
    ])
  })

  test('[L21] with banter on, too, a bot that a person named goes before the talk of bots', () => {
    const thread = directorTrace({ ...room('ann', 'bo', 'cy'), settings: { banter: true } })
    thread.say('mia', '@ann X, @cy Y')
    expect(thread.rest({ pick: () => null })).toEqual(['ann: mention', 'cy: debt', 'nobody: paid'])
  })
})

describe('edits', () => {
  test('[B13] an edit that adds a mention asks the bot it adds', () => {
    const thread = directorTrace(room('ann', 'coder'))
    const message = thread.say('mia', '@ann do X')
    thread.rest()
    thread.edit('mia', message, '@ann @coder do X')
    expect(thread.rest()).toEqual(['coder: mention', 'nobody: bot_spoke'])
  })

  test('[B13] an edit that mends a typo asks nobody', () => {
    const thread = directorTrace(room('ann'))
    const message = thread.say('mia', '@ann do Y')
    thread.rest()
    thread.edit('mia', message, '@ann do X')
    expect(thread.rest()).toEqual([])
  })

  test('[B13] a mention edited away before the decision asks nobody', () => {
    const thread = directorTrace(mentionOnly('ann', 'coder'))
    const message = thread.say('mia', '@coder do X')
    thread.edit('mia', message, 'do X, somebody')
    expect(thread.rest()).toEqual(['nobody: mention_only'])
  })

  test('[B13] an edit during the turn starts nothing again; the next pass sees what it added', () => {
    const thread = directorTrace(room('ann', 'coder'))
    const message = thread.say('mia', '@ann do X')
    const turn: Turn = (speaker) => {
      if (speaker === 'ann') thread.edit('mia', message, '@ann @coder do X')
      return 'done.'
    }
    expect(thread.rest({ turn })).toEqual(['ann: mention', 'coder: mention', 'nobody: bot_spoke'])
  })

  test('a debt is void once its mention is edited away, its message or the edit’s message deleted', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy', 'di'))
    const first = thread.say('mia', '@ann 1, @bo 2')
    const second = thread.say('mia', 'and more')
    thread.edit('mia', second, 'and more @cy')
    const third = thread.say('mia', '@di last')
    thread.pass({ turn: () => ({ status: 'passed' }) })
    expect(thread.owed()).toEqual(['bo@1', 'cy@3', 'di@4'])
    thread.edit('mia', first, '@ann 1')
    thread.remove('mia', second)
    thread.remove('mia', third)
    expect(thread.view().voided).toEqual([
      { bot: agent('bo'), entry: 1, why: 'edited' },
      { bot: agent('cy'), entry: 3, why: 'deleted' },
      { bot: agent('di'), entry: 4, why: 'deleted' },
    ])
    expect(thread.rest()).toEqual([])
  })
})

describe('loops', () => {
  test('[B14] a bot that writes its own handle does not ask itself', () => {
    const thread = directorTrace(room('ann'))
    thread.say('mia', '@ann hello')
    expect(thread.rest({ turn: () => 'I am @ann' })).toEqual(['ann: mention', 'nobody: bot_spoke'])
  })

  test('[B14] [B18] a bot that names another without a mention, or replies to it, asks nobody', () => {
    const thread = directorTrace(room('ann', 'coder'))
    thread.botSays('coder', 'I think so')
    thread.rest()
    thread.botSays('ann', 'coder was right', { replyTo: toOffset(1) })
    expect(thread.rest()).toEqual(['nobody: bot_spoke'])
  })

  test('[B18] a person who replies to a bot asks it without a mention', () => {
    const thread = directorTrace(room('ann', 'coder'))
    const said = thread.botSays('coder', 'I think so')
    thread.rest()
    for (let at = 0; at < 300; at += 1) thread.say('mia', `import ${at}`, { wakes: false })
    thread.say('mia', 'why?', { replyTo: said })
    expect(thread.rest()).toEqual(['coder: reply_to', 'nobody: bot_spoke'])
  })

  test('[C2] two bots that name each other for ever stop at the limit of a bot, and go on by Continue', () => {
    const thread = directorTrace(room('ann', 'coder'))
    const turn: Turn = (speaker) => (speaker === 'ann' ? '@coder your turn' : '@ann your turn')
    thread.say('mia', '@ann go')
    const talk = ['ann: mention', 'coder: mention']
    expect(thread.rest({ turn })).toEqual([...talk, ...talk, ...talk, 'nobody: turn_limit'])
    thread.goOn('mia')
    expect(thread.rest({ turn })).toEqual([
      'ann: continue',
      'coder: mention',
      'ann: mention',
      'coder: mention',
      'ann: mention',
      'coder: mention',
      'nobody: turn_limit',
    ])
  })

  test('[C2] many bots that name each other stop at the limit of the thread', () => {
    const thread = directorTrace(room('ann', 'bo', 'cy'))
    const next: Record<string, string> = { ann: '@bo', bo: '@cy', cy: '@ann' }
    thread.say('mia', '@ann go')
    const lines = thread.rest({ turn: (speaker) => next[speaker] ?? '' })
    expect(lines).toHaveLength(9)
    expect(lines.at(-1)).toBe('nobody: turn_limit')
  })

  test('[L10] with banter on, bots talk among themselves until the limit', () => {
    const thread = directorTrace({ ...room('ann', 'bo', 'cy'), settings: { banter: true } })
    thread.say('mia', '@ann tell the others')
    const lines = thread.rest({
      turn: (speaker) => `so says ${speaker}, @@mia`,
      pick: ({ candidates }) => candidates[0]?.slice(4) ?? null,
    })
    expect(lines).toEqual([
      'ann: mention',
      'bo: paid',
      'ann: paid',
      'bo: paid',
      'ann: paid',
      'bo: paid',
      'cy: paid',
      // Only cy has turns left, and it has just spoken.
      'nobody: turn_limit',
    ])
    expect(thread.rest()).toEqual([])
  })

  test('[L10] with banter on, a slow talk of bots ends at the limit all the same', () => {
    const thread = directorTrace({ ...room('ann', 'bo'), settings: { banter: true } })
    thread.say('mia', '@ann go')
    const turn: Turn = (speaker) => {
      thread.later(24 * 60 * 60_000)
      return `a day later, ${speaker}`
    }
    const pick = ({ candidates }: PaidQuestion) => candidates[0]?.slice(4) ?? null
    const talk = ['bo: paid', 'ann: paid']
    expect(thread.rest({ turn, pick })).toEqual([
      'ann: mention',
      ...talk,
      ...talk,
      'bo: paid',
      'nobody: turn_limit',
    ])
    expect(thread.decisions.at(-1)?.about).toEqual([{ id: agent('ann'), why: 'turn_limit' }])
  })

  test('with banter on, a bot with nobody to talk to has spoken', () => {
    const thread = directorTrace({ ...room('ann'), settings: { banter: true } })
    thread.say('mia', '@ann hello')
    expect(thread.rest()).toEqual(['ann: mention', 'nobody: bot_spoke'])
  })

  test('with banter on, what waits at a limit is answered by nobody else', () => {
    const settings = { banter: true, limitPerBot: 1 }
    const thread = directorTrace({ ...room('ann', 'bo', 'cy'), settings })
    thread.say('mia', '@ann start')
    const turn: Turn = (speaker) => (speaker === 'bo' ? '@ann back to you' : '@bo over')
    const pick = () => 'cy'
    expect(thread.rest({ turn, pick })).toEqual([
      'ann: mention',
      'bo: mention',
      'nobody: turn_limit',
    ])
  })

  test('[C1] what an always bot says itself does not bring it back', () => {
    const thread = directorTrace({ bots: [bot('ann', { mode: 'always' }), bot('bo')] })
    thread.say('mia', 'hello')
    expect(thread.rest()).toEqual(['ann: always', 'nobody: bot_spoke'])
  })

  test('[A14] nobody for a first message is told with its reason, and later ones are decided all the same', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', 'hello team, what can you do?')
    expect(thread.rest()).toEqual(['nobody: paid'])
    expect(thread.decisions[0]).toMatchObject({ speaker: null, from: 0, to: 1, reason: 'scripted' })
    thread.say('mia', 'anybody?')
    expect(thread.rest({ pick: () => 'bo' })).toEqual(['bo: paid', 'nobody: bot_spoke'])
  })

  test('[A14] a bot that answers always answers a first message that is to the whole team', () => {
    const thread = directorTrace({ bots: [bot('ann', { mode: 'always' }), bot('bo')] })
    thread.say('mia', 'hello team, what can you do?')
    expect(thread.rest()).toEqual(['ann: always', 'nobody: bot_spoke'])
  })

  test('[K2] a person alone with an always bot costs no model call', () => {
    const thread = directorTrace({ bots: [bot('ann', { mode: 'always' })] })
    for (const text of ['hello', 'thanks', 'one more?']) {
      thread.say('mia', text)
      expect(thread.rest()).toEqual(['ann: always', 'nobody: bot_spoke'])
    }
    expect(thread.decisions.map(({ cost }) => cost)).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('[K3] a hundred messages between people cost no model call where bots wait for mentions', () => {
    const thread = directorTrace({ ...mentionOnly('ann', 'bo'), people: ['mia', 'ben'] })
    for (let at = 0; at < 100; at += 1) thread.say(at % 2 === 0 ? 'mia' : 'ben', `message ${at}`)
    const lines = thread.rest()
    expect(new Set(lines)).toEqual(new Set(['nobody: mention_only']))
    expect(thread.decisions.reduce((sum, { cost }) => sum + cost, 0)).toBe(0)
  })

  test('[A13] a bot that spoke last and has nothing new to read is not chosen, without a call', () => {
    const thread = directorTrace(room('ann', 'bo'))
    thread.say('mia', 'question')
    expect(thread.rest({ pick: () => 'ann' })).toEqual(['ann: paid', 'nobody: bot_spoke'])
    thread.later(11 * 60_000)
    thread.say('mia', 'another question')
    let read: readonly string[] = []
    thread.pass({
      pick: (_, view) => {
        read = view.texts.map(({ text }) => text)
        return 'ann'
      },
    })
    expect(read).toEqual(['another question'])
    expect(thread.decisions.at(-1)).toMatchObject({ speaker: agent('ann'), from: 2, to: 3 })
  })
})
