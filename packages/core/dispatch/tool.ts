import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { AppendHint } from '../streams/live-bus.ts'
import type { ToolSpec } from '../models/model.ts'
import type { ToolOutcome } from '../threads/turn.ts'

/** What a tool may know of the turn it runs in. */
export interface ToolContext {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  readonly agentId: ActorId
  readonly decision: number
  /** What the turn starts in another thread is one hop further. */
  readonly hops: number
  /** For reading; a change goes through its effect's own transaction. */
  readonly db: Executor
}

export interface ToolRun {
  readonly args: unknown
  readonly signal: AbortSignal
}

export interface EffectRun extends ToolRun {
  readonly effectKey: string
  /** To be told of what the effect appended to other streams; passed on after the commit. */
  readonly appended: (hint: AppendHint) => void
}

interface ToolFields {
  readonly spec: ToolSpec
  /** File that owns the tool, for the documentation. */
  readonly owner: string
  /** `when allowed`: to a bot whose settings allow it by name, and to no other. */
  readonly offered: 'always' | 'when allowed'
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
      apply(tx: Executor, run: EffectRun): Promise<ToolOutcome>
    })
