import type { DecisionBody } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { decisionBody as decision } from '../../../test/support/decision-body.ts'
import { agent } from '../../../test/support/director-trace.ts'
import { compareDecisions } from './compare-decisions.ts'

const [ann, bo] = [agent('ann'), agent('bo')]
const paid = (speaker: DecisionBody['speaker'], over: Partial<DecisionBody> = {}) =>
  decision({ kind: 'paid', speaker, reason: 'fits', ...over })
const free = (rule: DecisionBody['rule'], over: Partial<DecisionBody> = {}) =>
  decision({ rule, ...over })
const undecided = (rule: DecisionBody['rule'], over: Partial<DecisionBody> = {}) =>
  decision({ kind: 'undecided', rule, ...over })

const same = { verdict: 'same', note: null }
const different = { verdict: 'different', note: null }
const noRule = { verdict: 'different', note: 'no rule answers any more' }
const notThen = (note: string) => ({ verdict: 'not_comparable', note })
const notNow = (note: string) => ({ verdict: 'not_replayed', note })

test.each([
  ['a rule with its speaker', free('mention', { speaker: ann }), same],
  ['the rule for another bot', free('mention', { speaker: bo }), different],
  ['another rule', free('asked', { speaker: ann }), different],
  ['the rule after another', free('mention', { speaker: ann, owedAfter: 'bot_spoke' }), different],
  ['a model’s choice of the same bot', paid(ann), noRule],
  ['a budget that is spent', free('budget_spent'), noRule],
  ['a model that cannot be reached', undecided('unavailable', { reason: 'no' }), noRule],
])('against what a rule decided stands %s', (_, now, expected) => {
  expect(compareDecisions(free('mention', { speaker: ann }), now)).toEqual(expected)
})

test.each([
  ['the same bot for another reason', paid(ann, { reason: 'other', salvaged: true }), same],
  ['another bot', paid(bo), different],
  ['nobody', paid(null), different],
  ['a rule that answers now', free('continuation', { speaker: ann }), different],
  ['an answer without a choice', undecided('no_answer'), different],
  ['a budget that is spent', free('budget_spent'), notNow('the budget of today is spent')],
  [
    'a model without a key',
    undecided('unavailable', { reason: 'it has no key' }),
    notNow('it has no key'),
  ],
  [
    'a provider that refuses',
    undecided('unavailable', { reason: 'it refused', error: '401' }),
    notNow('it refused: 401'),
  ],
])('against what a model chose stands %s', (_, now, expected) => {
  expect(compareDecisions(paid(ann), now)).toEqual(expected)
})

test.each([
  [free('budget_spent'), notThen('no model was asked then: the budget of the day was spent')],
  [
    undecided('model_paused'),
    notThen('no model was asked then: it was paused after failing again and again'),
  ],
  [undecided('unavailable'), notThen('no model answered then: it could not be reached')],
  [undecided('no_answer'), different],
])(
  'a choice of now is held against nothing that only the day brought: $rule',
  (stored, expected) => {
    expect(compareDecisions(stored, paid(null))).toEqual(expected)
  },
)

test('a rule that would have answered on a day without a model is a difference of the rules', () => {
  expect(compareDecisions(free('budget_spent'), free('bot_spoke'))).toEqual(different)
  expect(compareDecisions(undecided('model_paused'), free('bot_spoke'))).toEqual(different)
})

test('two models that both give no choice are the same', () => {
  expect(compareDecisions(undecided('no_answer'), undecided('no_answer'))).toEqual(same)
})
