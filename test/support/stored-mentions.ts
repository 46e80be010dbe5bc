import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import type { Executor } from '../../packages/core/db/executor.ts'
import { toMessageDraft } from '../../packages/core/threads/message-draft.ts'
import type { Roster } from '../../packages/core/threads/open-thread.ts'
import { person } from './director-trace.ts'

export type StoredMentions = Awaited<ReturnType<typeof storedMentions>>

/** What an append keeps of whom a person's message names. */
export async function storedMentions(text: string, roster: Roster) {
  const author = {
    kind: 'person',
    tokenKind: 'ses',
    tokenHash: '',
    role: 'member',
    houseId: toHouseId('hse_1'),
    id: person('mia'),
  } as const
  const thread = { threadId: toThreadId('thr_1'), keyed: null, roster }
  const place = { db: untouched, author, thread, key: 'k' }
  const draft = await toMessageDraft(place, { kind: 'chat', text })
  if (draft.kind !== 'chat') throw new Error('a message was asked for')
  const { mentions = [], everyone = false, names } = draft.body
  return { mentions: mentions.map(toActorId), everyone, names }
}

const untouched: Executor = {
  query: () => Promise.reject(new Error('a new message asks the database nothing')),
}
