import type { Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from './thread-stream.ts'

/** Whether every one of the causes was deleted behind `after`; false when there are none. */
export async function areAllDeleted(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  { causes, after }: { readonly causes: readonly Offset[]; readonly after: Offset },
): Promise<boolean> {
  if (causes.length === 0) return false
  const [row] = await executor.query<{ deleted: number }>(
    `select count(distinct body ->> 'target')::int as deleted from entries
       where house_id = $1 and thread_id = $2 and seq > $3 and kind = 'chat.delete'
         and (body ->> 'target')::bigint = any($4::bigint[])
         and (readable or kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))`,
    [houseId, threadId, after, causes],
  )
  return row?.deleted === new Set(causes).size
}
