import type { ActorId, DecisionBody, Entry, Offset, ThreadId } from '@arbe/sdk'
import type {
  DirectorStore,
  Lease,
} from '../../packages/core/thread-director/thread-director-port.ts'
import type { TurnStore } from '../../packages/core/thread-director/turn-store.ts'
import type { TurnWrites } from '../../packages/core/threads/turn.ts'

export interface ChatWords {
  readonly text?: string
  /** The author's own key, behind whatever keeps it apart from those of others. */
  readonly key?: string
  readonly author?: ActorId
  readonly replyTo?: Offset
  readonly mentions?: readonly ActorId[]
  /** False: imported. */
  readonly wakes?: boolean
}

export type Change =
  | { readonly kind: 'chat.edit'; readonly target: Offset; readonly text: string }
  | { readonly kind: 'chat.delete'; readonly target: Offset }

export interface DirectorRow {
  readonly decidedOffset: number
  readonly d: number
  readonly attempts: number
  readonly held: boolean
  readonly lastDecision: DecisionBody | undefined
}

/** A house with the person `mia` and the bots `ann` and `coder`, on one of the engines that keep the director's store. */
export interface DirectorWorld {
  readonly store: DirectorStore
  readonly turns: TurnStore
  turnWrites(lease: Lease, decision: DecisionBody): TurnWrites
  newThread(): Promise<ThreadId>
  say(thread: ThreadId, words?: ChatWords): Promise<Offset>
  change(thread: ThreadId, change: Change): Promise<Offset>
  entries(thread: ThreadId): Promise<readonly Entry[]>
  mute(thread: ThreadId, bot: ActorId): Promise<void>
  /** A time in the past: the mute has ended by itself. */
  muteFor(thread: ThreadId, bot: ActorId, ms: number): Promise<void>
  setMode(thread: ThreadId, bot: ActorId): Promise<void>
  setLimit(thread: ThreadId): Promise<void>
  removeBot(thread: ThreadId, bot: ActorId): Promise<void>
  rename(thread: ThreadId): Promise<void>
  deleteThread(thread: ThreadId): Promise<void>
  wake(thread: ThreadId): Promise<void>
  /** Undefined without a row. `waitMs` until it is due, negative when it is. */
  queueRow(thread: ThreadId): Promise<{ readonly rev: number; readonly waitMs: number } | undefined>
  dropQueueRow(thread: ThreadId): Promise<void>
  row(thread: ThreadId): Promise<DirectorRow>
  dropRow(thread: ThreadId): Promise<void>
  /** Lets the time of the lease, and of a back-off, pass. */
  pass(thread: ThreadId): Promise<void>
}
