import type { DecisionBody } from '@arbe/sdk'
import type { TurnResult } from '../threads/turn.ts'
import type { Closing, NamedInText, ReplyDraft } from './thread-director-port.ts'
import { isServedBy, voidOf } from './thread-director-requests.ts'

export const MOST_PAID_DECISIONS = 2

/** What ends a decision with a speaker, besides its outcome. `mentionsIn` reads the reply with the thread's roster. */
export function closingOf(
  decision: DecisionBody,
  result: TurnResult,
  mentionsIn: (text: string) => NamedInText,
): Closing {
  return {
    closes: !leadsToAnother(decision, result),
    reply: replyOf(decision, result, mentionsIn),
    voided: voidedBy(decision, result),
  }
}

/**
 * Only a model's choice is made again when its bot declines or is gone. A bot that was named and passes has answered: that closes
 * the range, with `passed` as its outcome and nobody in its place.
 */
function leadsToAnother(decision: DecisionBody, result: TurnResult): boolean {
  const declined = result.status === 'passed' || result.because === 'speaker_left'
  return decision.kind === 'paid' && declined && decision.paidCalls < MOST_PAID_DECISIONS
}

function replyOf(
  decision: DecisionBody,
  result: TurnResult,
  mentionsIn: (text: string) => NamedInText,
): ReplyDraft | undefined {
  const { status, text, assistant } = result
  if (text === undefined || (status !== 'replied' && status !== 'limit')) return undefined
  return { text, named: mentionsIn(text), assistant, hops: decision.hops }
}

/** The speaker's own requests are served by its turn, however that ended. */
function voidedBy(decision: DecisionBody, result: TurnResult): Closing['voided'] {
  const why = voidReason(result)
  if (why === undefined) return []
  return decision.requests
    .filter((request) => request.entry <= decision.to && !isServedBy(decision, request))
    .map((request) => voidOf(request, why))
}

function voidReason({ status, because }: TurnResult): 'stopped' | 'gave_up' | undefined {
  if (because === 'gave_up') return 'gave_up'
  const isStop = because !== 'cause_deleted' && because !== 'speaker_left'
  return status === 'cancelled' && isStop ? 'stopped' : undefined
}
