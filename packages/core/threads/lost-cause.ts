import type { ActorId, Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

/** What a running turn stands on. */
export interface TurnGround extends ThreadRef {
  readonly speaker: ActorId
  /** What it answers, as it stood up to `seen`. */
  readonly causes: readonly Offset[]
  readonly seen: Offset
}

export type LostCause = 'speaker_left' | 'cause_deleted'

/** Why a running turn begins no further round: its speaker is no longer in the thread, or all that it answers was taken back. */
export async function lostCause(
  executor: Executor,
  { houseId, threadId, speaker, causes, seen }: TurnGround,
): Promise<LostCause | undefined> {
  const [row] = await executor.query<{ deleted: number; in: boolean }>(
    `select
       exists (select 1 from thread_bots where house_id = $1 and thread_id = $2 and bot_id = $5) as in,
       (select count(distinct body ->> 'target')::int from entries
         where house_id = $1 and thread_id = $2 and seq > $3 and kind = 'chat.delete'
           and (body ->> 'target')::bigint = any($4::bigint[])
           and (readable or kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))) as deleted`,
    [houseId, threadId, seen, causes, speaker],
  )
  if (row?.in !== true) return 'speaker_left'
  const isDeleted = causes.length > 0 && row.deleted === new Set(causes).size
  return isDeleted ? 'cause_deleted' : undefined
}
