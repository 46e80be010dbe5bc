import { type DecisionBody, toOffset } from '@arbe/sdk'

/** What is stored of a decision by which nobody speaks; say what is other than that. */
export function decisionBody(over: Partial<DecisionBody> = {}): DecisionBody {
  return {
    d: 1,
    from: toOffset(0),
    to: toOffset(1),
    seen: toOffset(1),
    fence: 1,
    kind: 'free',
    speaker: null,
    candidates: [],
    requests: [],
    voided: [],
    turnsSincePerson: [],
    passedBy: [],
    paidCalls: 0,
    about: [],
    cost: 0,
    hops: 0,
    ms: 0,
    ...over,
  }
}
