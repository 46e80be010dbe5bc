import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { ToolSpec } from '../models/model.ts'
import type { ToolOutcome } from '../threads/turn.ts'

/** What a tool may know of the turn it runs in. */
export interface ToolContext {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  readonly agentId: ActorId
  readonly decision: number
  /** People and bots whose entries the turn answers: a call is allowed what all of them are. */
  readonly causedBy: readonly ActorId[]
  /** For reading; a change goes through its effect's own transaction. */
  readonly db: Executor
}

export interface ToolRun {
  readonly args: unknown
  readonly signal: AbortSignal
}

interface ToolFields {
  readonly spec: ToolSpec
  /** File that owns the tool, for the documentation. */
  readonly owner: string
  /** When it is offered, in words. */
  readonly offered: string
}

export type AgentTool =
  | (ToolFields & {
      readonly effect: 'none' | 'once'
      /** Ends the turn as `passed` when it succeeds; its text is the reason. */
      readonly endsTurn?: 'passed'
      /** Ends soon after the signal aborts. What it throws becomes an error result. */
      run(run: ToolRun): Promise<ToolOutcome>
    })
  | (ToolFields & {
      readonly effect: 'idempotent'
      /** Effect and result are one transaction: everything goes through `tx`, once for an effect key. */
      apply(tx: Executor, run: ToolRun & { readonly effectKey: string }): Promise<ToolOutcome>
    })
