import type { Offset, TurnStatus, Usage } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { AppendHint } from '../streams/live-bus.ts'

/** What a turn (or recovery, or Stop) hands back; the reply and the outcome become entries in `closeDecision` only. */
export interface TurnResult {
  readonly status: TurnStatus
  /** Text of the final chat, for `replied` and `limit`. */
  readonly text?: string
  /** Offset of the `pi.assistant` the text came from. */
  readonly assistant?: Offset
  readonly because?: string
  readonly partial?: string
  readonly error?: string
  readonly rounds: number
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
  readonly model?: string
  readonly ms: number
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** The one function by which a turn writes: fenced, keyed, idempotent. */
export interface TurnWrites {
  assistant(draft: {
    readonly round: number
    readonly message: EntryMessage
    readonly ms: number
  }): Promise<Offset>
  /** Stores what a tool answered; the first result stored for a call stays. */
  toolResult(call: ToolCallPlace, outcome: ToolOutcome): Promise<ToolOutcome>
  /**
   * Runs the effect and stores its result in one fenced transaction. A result already stored is returned and the effect does not
   * run again. The effect gets the transaction and must use it alone.
   */
  toolEffect(call: ToolCallPlace, effect: ToolEffect): Promise<ToolOutcome>
}

/** `appended` is to be told of what the effect appended to other streams. */
export type ToolEffect = (
  tx: Executor,
  effectKey: string,
  appended: (hint: AppendHint) => void,
) => Promise<ToolOutcome>

/** Where a call stands in its turn: what keys its result, since a provider's call ids may be empty or doubled. */
export interface ToolCallPlace {
  readonly round: number
  readonly index: number
  readonly callId: string
  readonly tool: string
}

export interface EntryMessage {
  readonly role: 'assistant'
  readonly content: readonly object[]
}

export interface ToolOutcome {
  readonly text: string
  readonly isError: boolean
  readonly error?: string
  readonly ms?: number
}
