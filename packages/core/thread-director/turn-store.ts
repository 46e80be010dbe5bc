import type { ActorId, HouseId } from '@arbe/sdk'
import type { Bot } from '@arbe/sdk/api'
import { readSpeaker } from '../bots/bots.ts'
import type { AppendHint } from '../streams/live-bus.ts'
import { type ContextRange, type ReadContext, readContext } from '../streams/read-context.ts'
import { type LostCause, lostCause, type TurnGround } from '../threads/lost-cause.ts'
import type { TurnWrites } from '../threads/turn.ts'
import type { StoreDatabase } from './thread-director-store.ts'
import type { TurnOf } from './turn-entry.ts'
import { createTurnWrites } from './turn-write.ts'

/** What a turn reads and writes; one suite holds for it on every engine and in memory. */
export interface TurnStore {
  speaker(houseId: HouseId, bot: ActorId): Promise<Bot>
  context(range: ContextRange): Promise<ReadContext>
  lostCause(ground: TurnGround): Promise<LostCause | undefined>
  writes(turn: TurnOf, onAppended: (hint: AppendHint) => void): TurnWrites
}

export function createTurnStore(db: StoreDatabase): TurnStore {
  return {
    speaker: (houseId, bot) => readSpeaker(db, houseId, bot),
    context: (range) => readContext(db, range),
    lostCause: (ground) => lostCause(db, ground),
    writes: (turn, onAppended) => createTurnWrites(db, turn, onAppended),
  }
}
