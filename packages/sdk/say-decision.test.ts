import { describe, expect, test } from 'vitest'
import { decisionBody as decision } from '../../test/support/decision-body.ts'
import { NO_USAGE, type OutcomeBody, type Rule, RuleSchema } from './entries.ts'
import { toActorId } from './ids.ts'
import { sayDecision, sayOutcome, sayPause, sayRest } from './say-decision.ts'

const ada = toActorId('agt_ada')
const bo = toActorId('agt_bo')
const nameOf = (id: string): string => (id === ada ? 'Ada' : 'Bo')

const outcome = (over: Partial<OutcomeBody>): OutcomeBody => ({
  d: 1,
  closes: true,
  status: 'replied',
  rounds: 1,
  usage: NO_USAGE,
  cost: 0,
  ms: 1,
  voided: [],
  ...over,
})

/** On the clock of whoever reads. */
function today(...time: readonly [hour: number, minute: number]): string {
  const moment = new Date()
  moment.setHours(...time)
  return moment.toISOString()
}

const lines: Record<Rule, string> = {
  backlog: 'Nobody: more was said since, and the end of it is decided · free',
  no_input: 'Nobody: the message was deleted · free',
  asked: 'Ada was asked: picked by a person · free',
  debt: 'Ada was asked: a person had asked before · free',
  mention: 'Ada was asked: named in a message · free',
  reply_to: 'Ada was asked: a reply to what it said · free',
  handover: 'Ada was asked: a job it had delegated came back · free',
  continue: 'Ada was asked: somebody pressed Continue · free',
  blocked: 'Nobody: whoever was named may not speak · free',
  no_text: 'Nobody: nothing to answer · free',
  hop_limit: 'Nobody: bots have carried this from thread to thread too often · free',
  bot_spoke: 'Nobody: only bots have spoken · free',
  to_people: 'Nobody: said to people · free',
  named_unavailable: 'Nobody: whoever was named is away · free',
  always: 'Ada was asked: it answers everything here · free',
  acknowledgement: 'Nobody: thanks only · free',
  continuation: 'Ada was asked: the talk with it goes on · free',
  no_bots: 'Nobody: no bot is in this thread · free',
  turn_limit: 'Nobody: the limit of turns is reached · free',
  mention_only: 'Nobody: the bots here wait to be named · free',
  none_eligible: 'Nobody: no bot here may speak · free',
  owed: 'Ada was asked: it was asked before · free',
  passed: 'Nobody: the bot passed · free',
  stopped: 'Nobody: stopped · free',
  budget_spent: 'Nobody: the budget of today is spent · free',
  gave_up: 'Undecided: deciding failed again and again · $0',
  unavailable: 'Undecided: the model could not be reached · $0',
  no_answer: 'Undecided: the model answered twice with no candidate · $0',
  model_paused: 'Undecided: the model is not asked for now, since it failed again and again · $0',
}

describe('a decision', () => {
  test.each(RuleSchema.options)('by the rule %s is one line', (rule) => {
    const kind = lines[rule].startsWith('Undecided') ? 'undecided' : 'free'
    const speaker = lines[rule].startsWith('Ada') ? ada : null
    expect(sayDecision(decision({ rule, kind, speaker }), nameOf)).toBe(lines[rule])
  })

  test('is not called free where a model was paid before the budget was reached', () => {
    expect(sayDecision(decision({ rule: 'budget_spent', cost: 0.01 }), nameOf)).toBe(
      'Nobody: the budget of today is spent · $0.0100',
    )
  })

  test('names the bots it is about, each with its state', () => {
    const about = [
      { id: ada, why: 'muted' },
      { id: bo, why: 'left' },
      { id: bo, why: 'turn_limit' },
    ]
    expect(sayDecision(decision({ rule: 'named_unavailable', about }), nameOf)).toBe(
      'Nobody: Ada is muted, Bo has left and Bo has had its turns for now · free',
    )
  })

  test('says until when a bot is muted', () => {
    const about = [{ id: ada, why: 'muted', until: today(14, 30) }]
    expect(sayDecision(decision({ rule: 'named_unavailable', about }), nameOf)).toBe(
      'Nobody: Ada is muted until 14:30 · free',
    )
  })

  test.each([
    ['external', 'Ada is driven from outside'],
    ['never', 'Ada is set never to speak'],
    ['on_leave', 'Ada cannot speak (on_leave)'],
  ])('says what it means that a bot is %s', (why, words) => {
    expect(sayDecision(decision({ rule: 'blocked', about: [{ id: ada, why }] }), nameOf)).toBe(
      `Nobody: ${words} · free`,
    )
  })

  test('says at a limit whose limit it is', () => {
    const about = [{ id: ada, why: 'turn_limit' }]
    expect(sayDecision(decision({ rule: 'turn_limit', about }), nameOf)).toBe(
      'Nobody: Ada has had its turns for now · free',
    )
  })

  test('names both rules when a debt follows a nobody', () => {
    const owed = decision({ rule: 'owed', owedAfter: 'acknowledgement', speaker: ada })
    expect(sayDecision(owed, nameOf)).toBe(
      'Ada was asked: it was asked before; for the rest nobody (thanks only) · free',
    )
  })

  test('counts what could not be read', () => {
    expect(sayDecision(decision({ rule: 'no_text', skipped: 2 }), nameOf)).toBe(
      'Nobody: nothing to answer; 2 unreadable · free',
    )
  })

  test('names who passed', () => {
    expect(sayDecision(decision({ rule: 'passed', passedBy: [ada, bo] }), nameOf)).toBe(
      'Nobody: Ada and Bo passed · free',
    )
  })

  test('by a model gives its reason and its price', () => {
    const paid = decision({ kind: 'paid', speaker: ada, reason: ' knows\nGo ', cost: 0.00123 })
    expect(sayDecision(paid, nameOf)).toBe('Ada was asked: knows Go · $0.0012')
    expect(
      sayDecision({ ...paid, speaker: null, reason: 'small talk', cost: 0.00001 }, nameOf),
    ).toBe('Nobody: small talk · under $0.0001')
    expect(sayDecision({ ...paid, reason: ' ', cost: 0 }, nameOf)).toBe(
      'Ada was asked: the model chose so · $0',
    )
  })

  test('keeps a long reason to a line', () => {
    const said = sayDecision(decision({ kind: 'paid', reason: 'x'.repeat(500) }), nameOf)
    expect(said).toBe(`Nobody: ${'x'.repeat(159)}… · $0`)
    const whole = sayDecision(decision({ kind: 'paid', reason: 'x'.repeat(160) }), nameOf)
    expect(whole).toBe(`Nobody: ${'x'.repeat(160)} · $0`)
  })

  test('that was not made says what happened', () => {
    const reason = 'the model answered twice with no candidate: it named more than one'
    expect(
      sayDecision(decision({ kind: 'undecided', rule: 'no_answer', reason, cost: 0.5 }), nameOf),
    ).toBe(`Undecided: ${reason} · $0.5000`)
  })
})

test.each([
  [{ status: 'replied' }, 'Ada replied'],
  [{ status: 'replied', cost: 0.02 }, 'Ada replied · $0.0200'],
  [{ status: 'passed' }, 'Ada passed'],
  [{ status: 'passed', because: 'speaker_left' }, 'Ada had left'],
  [{ status: 'silent' }, 'Ada said nothing'],
  [{ status: 'silent', because: 'after_side_effects' }, 'Ada did something and said nothing'],
  [{ status: 'failed' }, 'Ada failed'],
  [{ status: 'failed', error: 'no key\nfor x' }, 'Ada failed: no key for x'],
  [{ status: 'interrupted' }, 'Ada was interrupted'],
  [{ status: 'interrupted', error: 'tried 8 times' }, 'Ada was interrupted: tried 8 times'],
  [{ status: 'cancelled' }, 'Ada was stopped'],
  [{ status: 'cancelled', because: 'cause_deleted' }, 'Ada was cancelled: the message was deleted'],
  [{ status: 'cancelled', because: 'speaker_left' }, 'Ada had left'],
  [{ status: 'limit' }, 'Ada stopped at a limit'],
] as const)('an outcome is one line: %j', (over, line) => {
  expect(sayOutcome(outcome(over), 'Ada')).toBe(line)
})

describe('a pause of the director’s model', () => {
  const failing = { model: 'm/one', times: 3, pausedUntil: today(12, 10) }
  const begins = decision({
    kind: 'undecided',
    rule: 'no_answer',
    model: 'm/one',
    usage: NO_USAGE,
    failing,
  })
  const suffers = decision({ kind: 'undecided', rule: 'model_paused', model: 'm/one', failing })

  test('is told once, with the model’s name, under the decision that begins it', () => {
    expect(sayPause(begins)).toBe(
      'm/one left 3 decisions in a row open and is not asked again before 12:10; until then only rules that need no model choose',
    )
    expect([
      sayPause(suffers),
      sayPause(decision({ rule: 'mention', speaker: ada, failing })),
      sayPause({ ...begins, failing: { model: 'm/one', times: 2 } }),
      sayPause({ ...begins, failing: undefined }),
    ]).toEqual([undefined, undefined, undefined, undefined])
  })

  test('is in the detail of each decision that suffers from it', () => {
    const other = decision({ kind: 'undecided', rule: 'unavailable', model: 'm/two', failing })
    const nobody = decision({ rule: 'to_people', model: 'm/one', failing })
    const counted = { ...begins, failing: { model: 'm/one', times: 2 } }
    expect([begins, suffers, other, nobody, counted].map((one) => sayRest(one))).toEqual([
      'm/one until 12:10',
      'm/one until 12:10',
      undefined,
      undefined,
      undefined,
    ])
  })
})
