import type { DecisionBody, EntryBody } from '@arbe/sdk'
import type { EntryMessage, ToolCallPlace, ToolOutcome } from '../threads/turn.ts'
import type { Lease } from './thread-director-port.ts'

export interface TurnOf {
  readonly lease: Lease
  readonly decision: DecisionBody
}

export interface Round {
  readonly round: number
  readonly message: EntryMessage
  readonly ms: number
}

export function assistantEntryOf(turn: TurnOf, { round, message, ms }: Round) {
  const { d } = turn.decision
  const content = message.content.map((part) => ({ ...part }))
  return {
    ...fieldsOf(turn),
    key: `arbe:turn:${d}:${round}`,
    kind: 'pi.assistant',
    body: { decision: d, round, message: { ...message, content }, ms },
  } as const
}

export function resultEntryOf(turn: TurnOf, call: ToolCallPlace, outcome: ToolOutcome) {
  const { ms = 0, ...said } = outcome
  return {
    ...fieldsOf(turn),
    key: resultKeyOf(turn, call),
    kind: 'pi.tool_result',
    body: { ...call, ...said, decision: turn.decision.d, ms },
  } as const
}

export function resultKeyOf({ decision }: TurnOf, { round, index }: ToolCallPlace): string {
  return `arbe:tool:${decision.d}:${round}:${index}`
}

/** Names the call among all calls of all threads. */
export function effectKeyOf({ lease, decision }: TurnOf, { round, index }: ToolCallPlace): string {
  return `${lease.threadId}:${decision.d}:${round}:${index}`
}

export function outcomeIn({ text, isError, error, ms }: EntryBody<'pi.tool_result'>): ToolOutcome {
  return { text, isError, ms, ...(error === undefined ? {} : { error }) }
}

function fieldsOf({ lease: { threadId }, decision }: TurnOf) {
  // Every turn has its speaker; a decision without one starts none.
  if (decision.speaker === null) throw new Error(`decision ${decision.d} has no speaker`)
  return {
    threadId,
    authorId: decision.speaker,
    authorKind: 'bot',
    wakes: false,
    readable: false,
    causedBy: decision.d,
    hops: decision.hops,
  } as const
}
