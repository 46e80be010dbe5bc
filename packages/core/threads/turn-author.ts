import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import type { AppendHint } from '../streams/live-bus.ts'

/** A bot that acts by a tool in its turn. It speaks in its own name, and for those who caused the turn. */
export interface TurnAuthor {
  readonly kind: 'bot'
  readonly houseId: HouseId
  readonly id: ActorId
  /** Where the turn runs, and by which decision. */
  readonly threadId: ThreadId
  readonly decision: number
  /** What it starts in another thread is one hop further. */
  readonly hops: number
  /** Names the call among all calls of all threads. */
  readonly effectKey: string
  /** What is told here is passed on after the commit. */
  readonly appended: (hint: AppendHint) => void
}
