import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'

import type { Executor } from '../../packages/core/db/executor.ts'
import type { EntryDraft } from '../../packages/core/streams/entry-draft.ts'
import type { ThreadRef } from '../../packages/core/streams/thread-stream.ts'

/** A thread without members, in a house made with the first one: all that a stream needs. */
export async function addThread(executor: Executor, id: string): Promise<ThreadRef> {
  await executor.query(
    `insert into houses (id, name) values ('hse_test', 'House') on conflict do nothing`,
  )
  await executor.query(
    `insert into threads (house_id, id, created_by) values ('hse_test', $1, 'usr_ann')`,
    [id],
  )
  return { houseId: toHouseId('hse_test'), threadId: toThreadId(id) }
}

export type ChatDraft = Extract<EntryDraft, { readonly kind: 'chat' }>

/** What a person says; its text is its key unless another is given. */
export function chatDraft(thread: ThreadRef, key: string, text: string = key): ChatDraft {
  return {
    ...thread,
    key,
    kind: 'chat',
    authorId: toActorId('usr_ann'),
    authorKind: 'person',
    wakes: true,
    readable: true,
    body: { text },
  }
}
