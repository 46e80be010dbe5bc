import { toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import { draftDecision, draftGiveUp, type PaidAnswer } from './thread-director-draft.ts'
import { decide, type FreeAnswer, type PaidQuestion } from './thread-director-rules.ts'

const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 }

const free = (answer: FreeAnswer | PaidQuestion): FreeAnswer => {
  if (answer.kind !== 'free') throw new Error('a rule should have answered')
  return answer
}

function chosen(question: PaidQuestion, over: Partial<PaidAnswer> = {}): PaidAnswer {
  return {
    kind: 'paid',
    question,
    speaker: agent('bo'),
    reason: 'knows Go',
    model: 'test/test',
    usage,
    cost: 0.01,
    salvaged: false,
    ...over,
  }
}

const question = (...handles: string[]): PaidQuestion => ({
  kind: 'paid',
  candidates: handles.map(agent),
  nobodyAllowed: true,
})

describe('a free decision', () => {
  test('is stored whole', () => {
    const thread = directorTrace({
      bots: [bot('ann', { mode: 'mention' }), bot('bo', { muted: true }), bot('cy')],
    })
    thread.say('mia', '@ann and @bo, then @cy')
    const view = thread.view()
    expect(draftDecision(view, free(decide(view)), 7)).toEqual({
      from: 0,
      to: 1,
      seen: 1,
      kind: 'free',
      rule: 'mention',
      speaker: agent('ann'),
      candidates: [
        { id: agent('ann'), name: 'ann', eligible: true },
        { id: agent('bo'), name: 'bo', eligible: false, why: 'muted' },
        { id: agent('cy'), name: 'cy', eligible: true },
      ],
      requests: view.requests,
      voided: [{ bot: agent('bo'), entry: 1, why: 'muted' }],
      turnsSincePerson: [{ bot: agent('ann'), to: 1 }],
      passedBy: [],
      paidCalls: 0,
      about: [],
      cost: 0,
      hops: 0,
      ms: 7,
    })
  })

  test('with nobody counts no turn and says whom it is about', () => {
    const thread = directorTrace({ bots: [bot('bo', { muted: true })] })
    thread.say('mia', '@bo?')
    const view = { ...thread.view(), turns: [{ bot: agent('cy'), to: toOffset(0) }] }
    expect(draftDecision(view, free(decide(view)), 0)).toMatchObject({
      rule: 'named_unavailable',
      speaker: null,
      turnsSincePerson: [{ bot: agent('cy'), to: 0 }],
      about: [{ id: agent('bo'), why: 'muted' }],
    })
  })

  test('names both rules when it pays a debt', () => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
    thread.handover('ann')
    thread.handover('bo')
    thread.pass()
    const view = thread.view()
    expect(draftDecision(view, free(decide(view)), 0)).toMatchObject({
      rule: 'owed',
      owedAfter: 'bot_spoke',
    })
  })

  test('leaves out what there is not', () => {
    const thread = directorTrace({ bots: [] })
    thread.say('mia', 'hi')
    const view = thread.view()
    const draft = draftDecision(view, free(decide(view)), 0)
    expect(Object.keys(draft)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/owedAfter|reason|model|usage|salvaged|error/),
      ]),
    )
  })
})

describe('hops', () => {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
  thread.botSays('bo', '@ann go', { hops: 2 })
  thread.hookSays('red', { hops: 3 })
  const view = thread.view()

  test('are those of the request that is served', () => {
    expect(draftDecision(view, free(decide(view)), 0).hops).toBe(2)
  })

  test('are the highest of the range where none is', () => {
    expect(draftDecision(view, chosen(question('bo')), 0).hops).toBe(3)
    const nobody: FreeAnswer = { kind: 'free', rule: 'bot_spoke', speaker: null, about: [] }
    expect(draftDecision(view, nobody, 0).hops).toBe(3)
  })
})

describe('a paid decision', () => {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo'), bot('cy', { mode: 'never' })] })
  thread.say('mia', 'who knows Go?')
  const view = { ...thread.view(), passers: [agent('di')], paidCalls: 1 }

  test('gives reason, model and price', () => {
    const {
      reason,
      model,
      cost,
      usage: used,
      kind,
      speaker,
      ...rest
    } = draftDecision(view, chosen(question('ann', 'bo')), 9)
    expect({ reason, model, cost, used, kind, speaker }).toEqual({
      reason: 'knows Go',
      model: 'test/test',
      cost: 0.01,
      used: usage,
      kind: 'paid',
      speaker: agent('bo'),
    })
    expect(rest).toMatchObject({ paidCalls: 2, passedBy: [agent('di')], ms: 9 })
    expect(rest).not.toHaveProperty('rule')
    expect(rest).not.toHaveProperty('salvaged')
  })

  test('says so when the choice was read out of text', () => {
    const draft = draftDecision(view, chosen(question('ann', 'bo'), { salvaged: true }), 0)
    expect(draft.salvaged).toBe(true)
  })

  test('says which bots stood back because others answer always', () => {
    const draft = draftDecision(view, chosen(question('bo')), 0)
    expect(draft.candidates.map(({ eligible, why }) => [eligible, why])).toEqual([
      [false, 'not_always'],
      [true, undefined],
      [false, 'never'],
    ])
  })
})

describe('an undecided range', () => {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
  thread.say('mia', '@ann hi')
  const view = thread.view()

  test('has no speaker, keeps what is owed, and says what happened', () => {
    const draft = draftDecision(
      view,
      {
        kind: 'undecided',
        rule: 'unavailable',
        reason: 'the model could not be reached',
        question: question('ann'),
        model: 'test/test',
        usage,
        cost: 0.02,
        error: 'HTTP 503',
      },
      3,
    )
    expect(draft).toMatchObject({
      kind: 'undecided',
      rule: 'unavailable',
      speaker: null,
      reason: 'the model could not be reached',
      model: 'test/test',
      usage,
      cost: 0.02,
      error: 'HTTP 503',
      paidCalls: 1,
      requests: view.requests,
      voided: [],
      turnsSincePerson: [],
    })
    expect(draft.candidates.map(({ eligible }) => eligible)).toEqual([true, false])
  })

  test('[L14] that is given up voids all that is owed up to there, and the thread rests', () => {
    const draft = draftGiveUp(view, 'the view could not be read')
    expect(draft).toMatchObject({
      kind: 'undecided',
      rule: 'gave_up',
      speaker: null,
      reason: 'deciding failed every time it was tried',
      error: 'the view could not be read',
      requests: [],
      voided: [{ bot: agent('ann'), entry: 1, why: 'gave_up' }],
      paidCalls: 0,
      cost: 0,
    })
    expect(draft).not.toHaveProperty('model')
    expect(draft).not.toHaveProperty('usage')
    expect(draft.candidates.map(({ eligible }) => eligible)).toEqual([true, true])
    thread.store(draft)
    expect(thread.rest()).toEqual([])
  })

  test('that is given up keeps what was void before', () => {
    const muted = directorTrace({ bots: [bot('ann', { muted: true }), bot('bo')] })
    muted.say('mia', '@ann @bo hi')
    expect(draftGiveUp(muted.view(), 'broken').voided).toEqual([
      { bot: agent('ann'), entry: 1, why: 'muted' },
      { bot: agent('bo'), entry: 1, why: 'gave_up' },
    ])
  })
})
