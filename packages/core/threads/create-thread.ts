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
  /** The bot that the thread is a direct talk with, whoever else is in it. */
  readonly parent?: { readonly kind: 'agent'; readonly id: ActorId } | undefined
}

/** One person with one bot is a conversation, and so is a talk with a parent agent: that bot answers always, until somebody decides otherwise. */
export async function createThread(
  tx: Executor,
  maker: ChangeAuthor,
  draft: ThreadDraft,
): Promise<ThreadId> {
  if (maker.kind === 'person') requireRole(maker, 'member')
  const people = [...new Set([...own(maker, 'person'), ...draft.people])]
  const { parent } = draft
  const bots = [
    ...new Set([...own(maker, 'bot'), ...(parent === undefined ? [] : [parent.id]), ...draft.bots]),
  ]
  await requirePeople(tx, maker.houseId, people)
  await requireBots(tx, maker.houseId, bots)
  const threadId = toThreadId(newId('thr'))
  const isPair = people.length === 1 && bots.length === 1
  const always = bots.filter((bot) => isPair || bot === parent?.id)
  const hops = maker.kind === 'bot' ? maker.hops + 1 : 0
  await tx.query(
    `insert into threads (house_id, id, title, created_by, hops, parent) values ($1, $2, $3, $4, $5, $6::jsonb)`,
    [maker.houseId, threadId, draft.title, maker.id, hops, parent ? JSON.stringify(parent) : null],
  )
  await tx.query(
    `insert into thread_people (house_id, thread_id, member_id) select $1, $2, unnest($3::text[])`,
    [maker.houseId, threadId, people],
  )
  await insertBots(tx, { houseId: maker.houseId, threadId }, { bots, always })
  await appendChanges(tx, maker, {
    threadId,
    changes: [
      ...(draft.title === ''
        ? []
        : [{ kind: 'thread.title', body: { title: draft.title } } as const]),
      { kind: 'thread.people', body: { added: people, removed: [] } },
      ...(bots.length === 0
        ? []
        : [{ kind: 'thread.bots', body: botsBody(bots, always) } as const]),
    ],
  })
  return threadId
}

const own = (maker: ChangeAuthor, kind: ChangeAuthor['kind']): readonly ActorId[] =>
  maker.kind === kind ? [maker.id] : []

const botsBody = (bots: readonly ActorId[], always: readonly ActorId[]) => ({
  added: [...bots],
  modes: always.map((bot) => ({ bot, mode: 'always' as const })),
})
