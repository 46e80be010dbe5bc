import { type DecisionBody, NO_USAGE, type Offset, type OutcomeBody } from '@arbe/sdk'
import type { TurnResult } from '../threads/turn.ts'
import { closingOf } from './thread-director-closing.ts'
import type { Closing, DecisionDraft } from './thread-director-port.ts'
import { type Requests, stillOwed, voidOf } from './thread-director-requests.ts'

/** A thread as a stop finds it. */
export interface StopView {
  readonly decidedOffset: Offset
  readonly head: Offset
  readonly wakeHead: Offset
  /** Somebody holds a live lease. */
  readonly held: boolean
  readonly lastDecision: DecisionBody | undefined
  readonly lastOutcome: OutcomeBody | undefined
  /** Of all that waits up to `wakeHead`, what is owed. */
  readonly requests: Requests
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
  const owed = stillOwed(view)
  // A holder between two decisions may be about to serve a debt; without one, what waits there waits for a person.
  const isQuiet = view.wakeHead === view.decidedOffset && !(view.held && owed.length > 0)
  return isQuiet ? { kind: 'idle' } : { kind: 'nobody', draft: nobody(view) }
}

function cancel(decision: DecisionBody): StopPlan {
  const result: TurnResult = {
    status: 'cancelled',
    because: 'stopped',
    rounds: 0,
    usage: NO_USAGE,
    cost: 0,
    ms: 0,
  }
  const closing = closingOf(decision, result, () => ({ mentions: [], names: [] }))
  return { kind: 'cancel', decision, result, closing }
}

function nobody(view: StopView): DecisionDraft {
  const { open, voided } = view.requests
  const failing = view.lastDecision?.failing
  return {
    from: view.decidedOffset,
    to: view.wakeHead,
    seen: view.head,
    kind: 'free',
    rule: 'stopped',
    speaker: null,
    candidates: [],
    requests: [],
    voided: [...voided, ...open.map((request) => voidOf(request, 'stopped'))],
    turnsSincePerson: (view.lastDecision?.turnsSincePerson ?? []).filter(
      ({ to }) => to >= view.lastWord,
    ),
    passedBy: [],
    paidCalls: 0,
    about: [],
    cost: 0,
    hops: 0,
    ms: 0,
    ...(failing && { failing }),
  }
}
