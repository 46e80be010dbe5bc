import type { ActorId, DecisionBody, Entry, HouseId, ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { Books } from '../models/ledger.ts'
import type { Models } from '../models/model.ts'
import type { TurnWrites } from '../threads/turn.ts'
import type { ToolRules } from './agent-tools.ts'
import type { Clock } from './clock.ts'
import type { BotPersona } from './system-prompt.ts'
import type { AgentTool, ToolContext } from './tool.ts'

/** What every turn of a process shares. */
export interface Dispatcher {
  /** What tools read. */
  readonly db: Executor
  readonly books: Books
  readonly models: Models
  readonly clock: Clock
  readonly newCallId: () => string
  /** How long a model may stay silent before its request is given up. */
  readonly idleMs: number
  readonly buildTools: (ctx: ToolContext) => readonly AgentTool[]
}

export interface BotProfile extends BotPersona {
  readonly id: ActorId
  /** `provider/model`; empty for the house's default. */
  readonly model: string
}

export interface Participant {
  readonly name: string
  /** Empty for what has none: a webhook. */
  readonly handle: string
}

/** One selected bot, the decision that chose it, and all that its turn may read. */
export interface BotTurn {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  readonly bot: BotProfile
  readonly decision: DecisionBody
  /** Up to the decision's `seen`: what is readable, the bot's own rounds, and decisions. */
  readonly entries: readonly Entry[]
  /** The entries hold everything of that kind behind this offset. */
  readonly after: number
  /** Reads what this turn has stored so far, earlier attempts included. */
  readonly stored: () => Promise<readonly Entry[]>
  readonly attempts: number
  readonly roster: ReadonlyMap<ActorId, Participant>
  readonly toolRules: ToolRules
  /** Sentences for the system prompt: the thread's environment, the rules of the house. */
  readonly notes: readonly string[]
  readonly writes: TurnWrites
  /** Aborts at Stop, or with LeaseLost as its reason. */
  readonly signal: AbortSignal
  /** Asked before each tool call; false when the signal has aborted, or does so now since the time is up. */
  readonly isOurs: () => boolean
  /** Asked before every round; an answer ends the turn as cancelled. */
  readonly betweenRounds: () => Promise<{ readonly because: string } | undefined>
  readonly onText: (delta: string) => void
  /** The text shown since the last round is void. */
  readonly onRestart: () => void
}
