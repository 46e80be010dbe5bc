import type { ActorId, Entry, Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { isSound, withIsoTime } from './entry-row.ts'
import type { ThreadRef } from './thread-stream.ts'

export interface ContextRange extends ThreadRef {
  readonly botId: ActorId
  /** The turn answers the waking entries behind `from`; nothing past `seen` is read. */
  readonly from: Offset
  readonly seen: Offset
  /** Entries the turn owes an answer to, however far back they stand. */
  readonly owed: readonly Offset[]
  /** How many entries of the conversation are read. */
  readonly limit: number
}

export interface ReadContext {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The entries hold everything of the conversation behind this offset; 0: nothing was left out. */
  readonly after: number
}

/**
 * What a bot's turn reads: the last entries of the conversation, all that it answers with what edits and deletes that, and of the
 * bot's own turns since then the decisions and all that they stored. A turn is here whole or not at all.
 */
export async function readContext(
  executor: Executor,
  { houseId, threadId, botId, from, seen, owed, limit }: ContextRange,
): Promise<ReadContext> {
  const args = [houseId, threadId, botId, from, seen, owed, limit, OWN_WORK_BYTES]
  const [row] = await executor.query<{ read: ReadContext }>(
    'select turn_context($1, $2, $3, $4, $5, $6, $7, $8) as read',
    args,
  )
  if (row === undefined) throw new Error('turn_context gave no answer')
  return { after: row.read.after, entries: row.read.entries.filter(isSound).map(withIsoTime) }
}

// As stored, so compressed: several times what any request takes, and little enough to read for every turn.
const OWN_WORK_BYTES = 1024 * 1024
