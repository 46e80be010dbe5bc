import { randomUUID } from 'node:crypto'
import type { ThreadId } from '@arbe/sdk'
import { type PersonActor, namespacedKey } from '../access/authorship.ts'
import type { Executor } from '../db/executor.ts'
import type { EntryDraft } from '../streams/entry-draft.ts'
import { appendEntry } from '../streams/thread-stream.ts'
import { noSuchThread } from './open-thread.ts'
import type { TurnAuthor } from './turn-author.ts'

/** A person by their token, or a bot in its turn. What a bot may change, whoever offers it the tool has looked at. */
export type ChangeAuthor = PersonActor | TurnAuthor

type ChangeKind =
  | 'thread.title'
  | 'thread.people'
  | 'thread.bots'
  | 'thread.mute'
  | 'thread.limits'
  | 'thread.banter'
  | 'thread.environment'

export type ThreadChange = {
  [K in ChangeKind]: Pick<Extract<EntryDraft, { readonly kind: K }>, 'kind' | 'body'>
}[ChangeKind]

/** Changes of a thread stand in its stream beside what was said; they are no text, and none of them is covered by a decision. */
export async function appendChanges(
  tx: Executor,
  author: ChangeAuthor,
  { threadId, changes }: { readonly threadId: ThreadId; readonly changes: readonly ThreadChange[] },
): Promise<void> {
  const key =
    author.kind === 'bot'
      ? `arbe:change:${author.effectKey}`
      : namespacedKey(author, `change:${randomUUID()}`)
  for (const [index, change] of changes.entries()) {
    // In order: the stream tells them in the order they were made.
    const appended = await appendEntry(tx, {
      ...change,
      houseId: author.houseId,
      threadId,
      key: `${key}:${index}`,
      authorId: author.id,
      authorKind: author.kind,
      wakes: false,
      readable: false,
    })
    if (!('seq' in appended)) throw noSuchThread(threadId)
    if (author.kind === 'bot') author.appended({ threadId, seq: appended.seq, wakes: false })
  }
}
