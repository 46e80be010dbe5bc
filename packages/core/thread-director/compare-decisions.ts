import type { DecisionBody, Rule } from '@arbe/sdk'
import type { ReplayedDecision } from '@arbe/sdk/api'

type Compared = Pick<ReplayedDecision, 'verdict' | 'note'>

/** Whether a decision that was made again is the one that was stored. What only the day made it is held against neither. */
export function compareDecisions(stored: DecisionBody, now: DecisionBody): Compared {
  const verdict = isSame(stored, now) ? 'same' : 'different'
  if (!wasLeftToModel(now)) return { verdict, note: null }
  if (!wasLeftToModel(stored)) return { verdict, note: NO_RULE_NOW }
  if (couldNotAsk(now)) return { verdict: 'not_replayed', note: whyNotAsked(now) }
  const then = stored.rule && notAnsweredThen[stored.rule]
  return then === undefined ? { verdict, note: null } : { verdict: 'not_comparable', note: then }
}

export const NO_RULE_NOW = 'no rule answers any more'

/** Whatever came of it: no rule had an answer. */
export function wasLeftToModel({ kind, rule }: DecisionBody): boolean {
  return kind !== 'free' || rule === 'budget_spent'
}

/** No model answered, and none would if it were asked about something else. */
export function couldNotAsk({ rule }: DecisionBody): boolean {
  return rule === 'unavailable' || rule === 'budget_spent'
}

function whyNotAsked({ rule, reason, error }: DecisionBody): string {
  if (rule === 'budget_spent') return 'the budget of today is spent'
  return [reason, error].filter((part) => part !== undefined).join(': ')
}

const notAnsweredThen: Partial<Record<Rule, string>> = {
  budget_spent: 'no model was asked then: the budget of the day was spent',
  model_paused: 'no model was asked then: it was paused after failing again and again',
  unavailable: 'no model answered then: it could not be reached',
}

function isSame(stored: DecisionBody, now: DecisionBody): boolean {
  return stored.kind === now.kind && stored.speaker === now.speaker && isSameRule(stored, now)
}

/** A model gives reasons, and these are never the same; only a rule must be. */
function isSameRule(stored: DecisionBody, now: DecisionBody): boolean {
  return stored.rule === now.rule && stored.owedAfter === now.owedAfter
}
