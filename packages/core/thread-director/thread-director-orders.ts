import type { DecisionBody, HouseId, OutcomeBody } from '@arbe/sdk'
import { toEntryJson } from '../streams/entry-draft.ts'
import { toJsonText } from '../streams/json-text.ts'
import type { TurnResult } from '../threads/turn.ts'
import type { Closing, Lease, StopOrder } from './thread-director-port.ts'
import type { ReadFrom } from './thread-director-reading.ts'
import type { StopPlan } from './thread-director-stop.ts'

export interface CloseParts {
  readonly result: TurnResult
  readonly closing: Closing
  /** How to read the capture that follows, where one is wanted. */
  readonly next?: ReadFrom
}

/** What a close says of the turn; the reply's offset joins it when that is written. */
export function outcomeOf({ d }: DecisionBody, { result, closing }: CloseParts): OutcomeBody {
  const { text: _, assistant: __, ...figures } = result
  return { ...figures, d, closes: closing.closes, voided: closing.voided }
}

export function replyOf({ d, speaker }: DecisionBody, { reply }: Closing) {
  if (reply === undefined || speaker === null) return undefined
  const { text, named, assistant, hops } = reply
  const body = {
    text,
    mentions: [...named.mentions],
    everyone: false,
    ...(named.names.length === 0 ? {} : { names: [...named.names] }),
  }
  return {
    key: `arbe:reply:${d}`,
    kind: 'chat',
    authorId: speaker,
    authorKind: 'bot',
    wakes: true,
    readable: true,
    causedBy: d,
    hops,
    body: assistant === undefined ? body : { ...body, assistant },
  } as const
}

export function stopEntryOf({ authorId, key }: StopOrder, plan: StopPlan) {
  return {
    key,
    kind: 'thread.stop',
    authorId,
    authorKind: 'person',
    wakes: false,
    readable: false,
    hops: 0,
    body: { decision: plan.kind === 'cancel' ? plan.decision.d : undefined },
  } as const
}

/** The order that `director_close` carries out. */
export function toCloseJson(
  { houseId, threadId }: Pick<Lease, 'houseId' | 'threadId'>,
  decision: DecisionBody,
  parts: CloseParts,
): string {
  const reply = replyOf(decision, parts.closing)
  const replyJson = reply === undefined ? 'null' : toEntryJson({ ...reply, houseId, threadId })
  const outcomeJson = toJsonText(outcomeOf(decision, parts)).text
  const { next } = parts
  const nextJson = next === undefined ? '' : `,"recent":${next.recent},"known":${next.known}`
  return `{"d":${decision.d},"reply":${replyJson},"outcome":${outcomeJson}${nextJson}}`
}

/** The order that `director_stop` carries out. */
export function toStopJson(
  order: StopOrder,
  houseId: HouseId,
  plan: Exclude<StopPlan, { readonly kind: 'idle' }>,
): string {
  const thread = { houseId, threadId: order.threadId }
  const entryJson = toEntryJson({ ...stopEntryOf(order, plan), ...thread })
  return plan.kind === 'cancel'
    ? `{"entry":${entryJson},"close":${toCloseJson(thread, plan.decision, plan)}}`
    : `{"entry":${entryJson},"decision":{"draft":${toJsonText(plan.draft).text}}}`
}
