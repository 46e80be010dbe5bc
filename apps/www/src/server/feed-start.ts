import type { Actor } from '@arbe/core/access/authorship'
import type { Executor } from '@arbe/core/db/executor'
import type { Offset, ThreadId } from '@arbe/sdk'
import { FeedCursor, PLACES_MAX } from './feed-cursor.ts'

export interface FeedStart {
  readonly cursor: FeedCursor
  /** Each thread of the reader, and the entry after which it goes on there. */
  readonly threads: readonly { readonly threadId: ThreadId; readonly after: Offset }[]
  /** More was missed than a feed makes good: the reader loads its pages anew. */
  readonly isReset: boolean
}

interface Row {
  readonly threadId: ThreadId
  readonly head: Offset
  readonly lastAt: number
  readonly after: Offset
  readonly now: number
}

// A thread without a place goes on after the last entry that is older than the horizon. Within a thread entries are written in the
// order of their times, so that the search from its end stops at the first one that is old enough.
const START = `
  select t.id as "threadId", t.head, floor(extract(epoch from t.last_at) * 1000)::bigint as "lastAt",
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
    case
      when $3::float8 is null then t.head
      when $4::jsonb ? t.id then least(t.head, ($4::jsonb ->> t.id)::bigint)
      when t.last_at <= to_timestamp($3::float8 / 1000) then t.head
      else coalesce((
        select e.seq from entries e
        where e.house_id = t.house_id and e.thread_id = t.id
          and e.created_at <= to_timestamp($3::float8 / 1000)
        order by e.seq desc limit 1), 0)
    end as after
  from threads t
  where t.house_id = $1 and (
    exists (select 1 from thread_people p
      where p.house_id = t.house_id and p.thread_id = t.id and p.member_id = $2)
    or exists (select 1 from thread_bots b
      where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $2))`

/** Where a reader begins: from now without a cursor, else where it stood. */
export async function readFeedStart(
  db: Executor,
  reader: Actor,
  cursor: FeedCursor | undefined,
): Promise<FeedStart> {
  const rows = await db.query<Row>(START, [
    reader.houseId,
    reader.id,
    cursor?.horizon ?? null,
    JSON.stringify(cursor?.seqs() ?? {}),
  ])
  const behind = rows.filter(({ after, head }) => after < head)
  if (cursor === undefined || behind.length > PLACES_MAX)
    return { ...(await startNow(db, rows)), isReset: cursor !== undefined }
  for (const { threadId, after, head } of behind)
    cursor.put(threadId, { seq: after, at: 0, behindUntil: head })
  return { cursor, threads: rows, isReset: false }
}

async function startNow(db: Executor, rows: readonly Row[]): Promise<Omit<FeedStart, 'isReset'>> {
  const [clock] = await db.query<{ now: number }>(
    `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
  )
  const now = rows[0]?.now ?? clock?.now ?? 0
  const cursor = new FeedCursor(now)
  const newest = rows.filter(({ lastAt }) => lastAt >= cursor.horizon)
  for (const { threadId, head, lastAt } of newest.toSorted((a, b) => a.lastAt - b.lastAt))
    cursor.put(threadId, { seq: head, at: lastAt })
  return {
    cursor,
    threads: rows.map(({ threadId, head }) => ({ threadId, after: head })),
  }
}
