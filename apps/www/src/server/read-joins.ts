import type { Executor } from '@arbe/core/db/executor'
import type { Actor } from '@arbe/core/access/authorship'
import type { ActorId, ThreadId } from '@arbe/sdk'

export interface Join {
  readonly threadId: ThreadId
  readonly seq: number
  /** Those of them who are in the thread now. */
  readonly added: readonly ActorId[]
}

// Wider than the pause between two looks, since an entry can be seen a while after the time it carries.
const JOINS = `
  select e.thread_id as "threadId", e.seq, (
      select coalesce(jsonb_agg(joined.id), '[]')
      from jsonb_array_elements_text(e.body -> 'added') as joined (id)
      where exists (select 1 from thread_people p
          where p.house_id = e.house_id and p.thread_id = e.thread_id and p.member_id = joined.id)
        or exists (select 1 from thread_bots b
          where b.house_id = e.house_id and b.thread_id = e.thread_id and b.bot_id = joined.id)
    ) as added
  from entries e
  where e.kind in ('thread.people', 'thread.bots')
    and e.created_at > clock_timestamp() - interval '30 seconds'
  order by e.created_at desc`

/** Who joined which thread lately, the newest joins first. */
export async function readJoins(db: Executor): Promise<readonly Join[]> {
  return db.query<Join>(JOINS)
}

export async function isInThread(
  db: Executor,
  reader: Actor,
  threadId: ThreadId,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from threads t where t.house_id = $1 and t.id = $3 and (
      exists (select 1 from thread_people p
        where p.house_id = t.house_id and p.thread_id = t.id and p.member_id = $2)
      or exists (select 1 from thread_bots b
        where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $2))`,
    [reader.houseId, reader.id, threadId],
  )
  return rows.length > 0
}
