import { type ActorId, toThreadId } from '@arbe/sdk'
import type { PersonActor } from '../access/authorship.ts'
import type { Executor } from '../db/executor.ts'
import { appendChanges } from './thread-changes.ts'

const statements = {
  person: {
    // Taken by id before anything is deleted: the order in which every writer takes several threads.
    lock: `select t.id from threads t
      join thread_people p on p.house_id = t.house_id and p.thread_id = t.id
      where p.house_id = $1 and p.member_id = $2 order by t.id for no key update of t`,
    leave: `delete from thread_people where house_id = $1 and member_id = $2`,
  },
  bot: {
    lock: `select t.id from threads t
      join thread_bots b on b.house_id = t.house_id and b.thread_id = t.id
      where b.house_id = $1 and b.bot_id = $2 order by t.id for no key update of t`,
    leave: `delete from thread_bots where house_id = $1 and bot_id = $2`,
  },
} as const

/** Takes someone who leaves the house out of every thread they are in, and says so in each. */
export async function leaveThreads(
  tx: Executor,
  by: PersonActor,
  leaving: { readonly kind: 'person' | 'bot'; readonly id: ActorId },
): Promise<void> {
  const { lock, leave } = statements[leaving.kind]
  const threads = await tx.query<{ id: string }>(lock, [by.houseId, leaving.id])
  await tx.query(leave, [by.houseId, leaving.id])
  const kind = leaving.kind === 'person' ? 'thread.people' : 'thread.bots'
  for (const { id } of threads)
    await appendChanges(tx, by, {
      threadId: toThreadId(id),
      changes: [{ kind, body: { added: [], removed: [leaving.id] } }],
    })
}
