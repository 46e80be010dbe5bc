import type { ActorId, DecisionBody, Usage } from '@arbe/sdk'
import { endOf, exclusionOf } from './thread-director-eligibility.ts'
import { type DirectorView, hopsOfRange } from './thread-director-entry-view.ts'
import { failingAfter } from './thread-director-pause.ts'
import type { DecisionDraft } from './thread-director-port.ts'
import { voidOf } from './thread-director-requests.ts'
import type { FreeAnswer, PaidQuestion } from './thread-director-rules.ts'

/** A model chose one of the candidates, or nobody. */
export interface PaidAnswer {
  readonly kind: 'paid'
  readonly question: PaidQuestion
  readonly speaker: ActorId | null
  readonly reason: string
  readonly model: string
  readonly usage: Usage
  readonly cost: number
  /** The choice was read out of text, since the model did not call the tool. */
  readonly salvaged: boolean
}

/** No choice was made. That is neither nobody nor the first bot: it is shown, and one click mends it. */
export interface Undecided {
  readonly kind: 'undecided'
  readonly rule: 'no_answer' | 'unavailable' | 'gave_up' | 'model_paused'
  readonly reason?: string
  readonly question?: PaidQuestion
  readonly model?: string
  readonly usage?: Usage
  readonly cost: number
  readonly error?: string
}

export type Answer = FreeAnswer | PaidAnswer | Undecided

/** All that is stored of a decision but its ordinal and fence. */
export function draftDecision(view: DirectorView, answer: Answer, ms: number): DecisionDraft {
  const speaker = answer.kind === 'undecided' ? null : answer.speaker
  const failing = failingAfter(view, answer, ms)
  return {
    from: view.from,
    to: view.to,
    seen: view.seen,
    kind: answer.kind,
    speaker,
    candidates: candidatesOf(view, { asked: questionOf(answer)?.candidates, speaker }),
    requests: [...view.requests],
    voided: [...view.voided],
    turnsSincePerson: [...view.turns, ...(speaker === null ? [] : [{ bot: speaker, to: view.to }])],
    passedBy: [...view.passers],
    paidCalls: view.paidCalls + (asksModel(answer) ? 1 : 0),
    about: [],
    hops: hopsOfTurn(view, answer),
    ms,
    ...(failing && { failing }),
    ...(view.skipped > 0 && { skipped: view.skipped }),
    ...told(answer),
  }
}

/** The last resort for a range whose pass throws every time: it must not be tried for ever. */
export function draftGiveUp(view: DirectorView, error: string): DecisionDraft {
  const reason = 'deciding failed every time it was tried'
  const undecided: Undecided = { kind: 'undecided', rule: 'gave_up', reason, cost: 0, error }
  const draft = draftDecision(view, undecided, 0)
  const voided = draft.requests.map((request) => voidOf(request, 'gave_up'))
  return { ...draft, requests: [], voided: [...draft.voided, ...voided] }
}

function asksModel(answer: Answer): boolean {
  if (answer.kind !== 'undecided') return answer.kind === 'paid'
  return answer.question !== undefined && answer.rule !== 'model_paused'
}

function questionOf(answer: Answer): PaidQuestion | undefined {
  return answer.kind === 'free' ? undefined : answer.question
}

/** Every bot of the thread, and why one that could not be chosen could not. `asked`: whom a model may choose among, when it is asked. */
export function candidatesOf(
  view: DirectorView,
  choice: {
    readonly asked: readonly ActorId[] | undefined
    readonly speaker: ActorId | null
  },
): DecisionBody['candidates'] {
  const { asked, speaker } = choice
  return view.bots.map((bot) => {
    const passedOver = asked === undefined || asked.includes(bot.id) ? undefined : 'not_always'
    const why = bot.id === speaker ? undefined : (exclusionOf(view, bot) ?? passedOver)
    const seat = { id: bot.id, name: bot.name }
    return why === undefined
      ? { ...seat, eligible: true }
      : { ...seat, eligible: false, why, ...endOf(view, bot.id, why) }
  })
}

function hopsOfTurn(view: DirectorView, answer: Answer): number {
  const request = answer.kind === 'free' ? answer.request : undefined
  return request?.hops ?? hopsOfRange(view)
}

type Told = Pick<DecisionDraft, 'cost'> &
  Partial<
    Pick<
      DecisionDraft,
      'rule' | 'owedAfter' | 'about' | 'reason' | 'model' | 'usage' | 'salvaged' | 'error'
    >
  >

function told(answer: Answer): Told {
  switch (answer.kind) {
    case 'free': {
      const { rule, owedAfter, cost = 0 } = answer
      return { rule, cost, about: [...answer.about], ...(owedAfter && { owedAfter }) }
    }
    case 'paid': {
      const { reason, model, usage, cost, salvaged } = answer
      return { reason, model, usage, cost, ...(salvaged && { salvaged }) }
    }
    case 'undecided': {
      const { rule, reason, model, usage, cost, error } = answer
      return {
        rule,
        cost,
        ...(reason !== undefined && { reason }),
        ...(model !== undefined && { model }),
        ...(usage !== undefined && { usage }),
        ...(error !== undefined && { error }),
      }
    }
  }
}
