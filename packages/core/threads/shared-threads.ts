import type { ActorId, Entry, HouseId } from '@arbe/sdk'
import type { ThreadSummary } from '@arbe/sdk/api'
import type { Executor } from '../db/executor.ts'
import { knownEntries, withIsoTime } from '../streams/entry-row.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

const LIST = `
  select t.id, t.title, t.head, to_char(t.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastAt"
    from threads t
    where t.house_id = $1 and t.archived_at is null and not exists (
      select 1 from unnest($2::text[]) who where
        not exists (select 1 from thread_people p
          where p.house_id = t.house_id and p.thread_id = t.id and p.member_id = who)
        and not exists (select 1 from thread_bots b
          where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = who))
    order by t.last_at desc, t.id desc limit $3`

/** The threads that all of them are in, the last spoken in first. */
export async function listSharedThreads(
  executor: Executor,
  houseId: HouseId,
  { all, limit }: { readonly all: readonly ActorId[]; readonly limit: number },
): Promise<readonly ThreadSummary[]> {
  return executor.query<ThreadSummary>(LIST, [houseId, all, limit])
}

const TEXTS = `
  with said as (
    select e.seq from entries e
      where e.thread_id = $2 and e.seq < $3 and e.kind = 'chat' and e.readable
      order by e.seq desc limit $4
  ), seqs as (select array(select seq from said) as said)
  select entries_json($1, $2, said || changes_of($2, said)) as entries from seqs`

/** The last messages before an offset with what edits and deletes them, oldest first. */
export async function readTexts(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly Entry[]> {
  const [row] = await executor.query<{ entries: readonly Entry[] }>(TEXTS, [
    houseId,
    threadId,
    before,
    limit,
  ])
  return knownEntries(row?.entries ?? []).map(withIsoTime)
}
