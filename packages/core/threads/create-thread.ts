import { type ActorId, type ThreadId, toThreadId } from '@arbe/sdk'
import { requireRole } from '../access/authorship.ts'
import { newId } from '../access/new-id.ts'
import type { Executor } from '../db/executor.ts'
import { requireBots, requirePeople } from './house-ids.ts'
import { insertBots } from './insert-bots.ts'
import { type ChangeAuthor, appendChanges } from './thread-changes.ts'

export interface ThreadDraft {
  readonly title: string
  /** Besides the maker, who is always in. A bot makes a thread for people, who are named here. */
  readonly people: readonly ActorId[]
  readonly bots: readonly ActorId[]
}

/** One person with one bot is a conversation: that bot answers always, until somebody decides otherwise. */
export async function createThread(
  tx: Executor,
  maker: ChangeAuthor,
  draft: ThreadDraft,
): Promise<ThreadId> {
  if (maker.kind === 'person') requireRole(maker, 'member')
  const people = [...new Set([...own(maker, 'person'), ...draft.people])]
  const bots = [...new Set([...own(maker, 'bot'), ...draft.bots])]
  await requirePeople(tx, maker.houseId, people)
  await requireBots(tx, maker.houseId, bots)
  const threadId = toThreadId(newId('thr'))
  const seeded = people.length === 1 && bots.length === 1 ? 'always' : null
  const hops = maker.kind === 'bot' ? maker.hops + 1 : 0
  await tx.query(
    `insert into threads (house_id, id, title, created_by, hops) values ($1, $2, $3, $4, $5)`,
    [maker.houseId, threadId, draft.title, maker.id, hops],
  )
  await tx.query(
    `insert into thread_people (house_id, thread_id, member_id) select $1, $2, unnest($3::text[])`,
    [maker.houseId, threadId, people],
  )
  await insertBots(tx, { houseId: maker.houseId, threadId }, { bots, mode: seeded })
  await appendChanges(tx, maker, {
    threadId,
    changes: [
      ...(draft.title === ''
        ? []
        : [{ kind: 'thread.title', body: { title: draft.title } } as const]),
      { kind: 'thread.people', body: { added: people, removed: [] } },
      ...(bots.length === 0
        ? []
        : [{ kind: 'thread.bots', body: botsBody(bots, seeded) } as const]),
    ],
  })
  return threadId
}

const own = (maker: ChangeAuthor, kind: ChangeAuthor['kind']): readonly ActorId[] =>
  maker.kind === kind ? [maker.id] : []

const botsBody = (bots: readonly ActorId[], seeded: 'always' | null) => ({
  added: [...bots],
  modes: seeded === null ? [] : bots.map((bot) => ({ bot, mode: seeded })),
})
