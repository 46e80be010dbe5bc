import { type DecisionBody, type Offset, type OutcomeBody } from '@arbe/sdk'
import type { Closing, DecisionDraft } from './thread-director-port.ts'
import { isServedBy } from './thread-director-requests.ts'
import type { TurnResult } from '../threads/turn.ts'

/** A thread as a stop finds it. */
export interface StopView {
  readonly decidedOffset: Offset
  readonly head: Offset
  readonly wakeHead: Offset
  /** Somebody holds a live lease. */
  readonly held: boolean
  readonly lastDecision: DecisionBody | undefined
  readonly lastOutcome: OutcomeBody | undefined
  /** What a person said last of what is not decided yet; 0: nothing. */
  readonly lastWord: Offset
}

export type StopPlan =
  | {
      readonly kind: 'cancel'
      readonly decision: DecisionBody
      readonly result: TurnResult
      readonly closing: Closing
    }
  | { readonly kind: 'nobody'; readonly draft: DecisionDraft }
  | { readonly kind: 'idle' }

/** Cancels the turn that runs; else answers all that waits with nobody. What is owed up to there is void. */
export function planStop(view: StopView): StopPlan {
  const { lastDecision: last, lastOutcome } = view
  if (last !== undefined && last.speaker !== null && lastOutcome === undefined) return cancel(last)
  const owed = stillOwed(last, lastOutcome)
  const isQuiet = view.wakeHead === view.decidedOffset && !(view.held && owed.length > 0)
  return isQuiet ? { kind: 'idle' } : { kind: 'nobody', draft: nobody(view, owed) }
}

function cancel(decision: DecisionBody): StopPlan {
  return {
    kind: 'cancel',
    decision,
    result: { status: 'cancelled', because: 'stopped', rounds: 0, usage: NONE, cost: 0, ms: 0 },
    closing: { closes: true, reply: undefined, voided: stopped(decision.requests) },
  }
}

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

type Requests = DecisionBody['requests']

function stopped(requests: Requests): DecisionBody['voided'] {
  return requests.map(({ bot, entry }) => ({ bot, entry, why: 'stopped' }))
}

function stillOwed(last: DecisionBody | undefined, outcome: OutcomeBody | undefined): Requests {
  if (last === undefined) return []
  const voided = outcome?.voided ?? []
  return last.requests.filter(
    (request) =>
      !(outcome !== undefined && isServedBy(last, request)) &&
      !voided.some(({ bot, entry }) => bot === request.bot && entry === request.entry),
  )
}

function nobody(view: StopView, owed: Requests): DecisionDraft {
  const { lastDecision: last } = view
  return {
    from: view.decidedOffset,
    to: view.wakeHead,
    seen: view.head,
    kind: 'free',
    rule: 'stopped',
    speaker: null,
    candidates: [],
    requests: [],
    voided: stopped(owed),
    turnsSincePerson: (last?.turnsSincePerson ?? []).filter(({ to }) => to >= view.lastWord),
    passedBy: [],
    paidCalls: 0,
    about: [],
    cost: 0,
    hops: 0,
    ms: 0,
  }
}
