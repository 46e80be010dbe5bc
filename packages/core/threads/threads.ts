import type { Person, ThreadSummary } from '@arbe/sdk/api'
import type { ActorId, HouseId, Offset, ThreadId } from '@arbe/sdk'
import type { Actor } from '../access/authorship.ts'
import { IS_KEPT } from '../access/handles.ts'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'
import { type RosterBot, noSuchThread } from './open-thread.ts'

export interface ThreadDetail {
  readonly id: string
  readonly title: string
  readonly head: number
  readonly createdAt: string
  readonly lastAt: string
  readonly people: readonly Person[]
  readonly bots: readonly RosterBot[]
  readonly formerHandles: readonly { readonly id: string; readonly handle: string }[]
  readonly limitPerBot: number
  readonly limitPerThread: number
  readonly banter: boolean
  readonly environment: { readonly id: string; readonly name: string } | null
  /** A bot answers always although the thread is no longer one person with one bot: switching to `auto` may be wanted. */
  readonly offerAuto: boolean
}

const iso = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const MINE = `
  (exists (select 1 from thread_people p
      where p.house_id = t.house_id and p.thread_id = t.id and p.member_id = $2)
    or exists (select 1 from thread_bots b
      where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $2))`

const GET = `
  with mine as (
    select t.*, director_roster(t.id)::jsonb as roster from threads t
    where t.house_id = $1 and t.id = $3 and ($2::text is null or ${MINE})
  )
  select t.id, t.title, t.head, t.banter, ${iso('t.created_at')} as "createdAt", ${iso('t.last_at')} as "lastAt",
    coalesce((
      select jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'handle', m.handle, 'role', m.role)
        order by m.created_at, m.id)
      from thread_people p join members m on m.house_id = p.house_id and m.id = p.member_id
      where p.house_id = t.house_id and p.thread_id = t.id and m.removed_at is null), '[]') as people,
    roster -> 'bots' as bots,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', h.owner_id, 'handle', h.handle) order by h.released_at, h.handle)
      from handles h
      where h.house_id = t.house_id and ${IS_KEPT} and h.owner_id in (
        select p.member_id from thread_people p where p.house_id = t.house_id and p.thread_id = t.id
        union all
        select b.bot_id from thread_bots b where b.house_id = t.house_id and b.thread_id = t.id)), '[]') as "formerHandles",
    (select jsonb_build_object('id', e.id, 'name', e.name) from environments e
      where e.house_id = t.house_id and e.id = t.environment_id and e.removed_at is null) as environment,
    (roster #>> '{thread,limitPerBot}')::int as "limitPerBot",
    (roster #>> '{thread,limitPerThread}')::int as "limitPerThread",
    jsonb_array_length(roster -> 'people') + jsonb_array_length(roster -> 'bots') > 2
      and exists (select 1 from thread_bots b where b.house_id = t.house_id and b.thread_id = t.id
        and b.trigger_mode = 'always') as "offerAuto"
  from mine t`

export async function getThread(
  executor: Executor,
  actor: Actor,
  threadId: ThreadId,
): Promise<ThreadDetail> {
  const [row] = await executor.query<ThreadDetail>(GET, [actor.houseId, actor.id, threadId])
  if (row === undefined) throw noSuchThread(threadId)
  return row
}

/** For who was just let in by a change of the thread, which may have been to leave it. */
export async function getChangedThread(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
): Promise<ThreadDetail> {
  const [row] = await executor.query<ThreadDetail>(GET, [houseId, null, threadId])
  if (row === undefined) throw noSuchThread(threadId)
  return row
}

const LIST = `
  select t.id, t.title, t.head, ${iso('t.last_at')} as "lastAt",
    case when t.head = t.imported_to then t.imported_after else t.head end as "newsTo"
  from threads t
  where t.house_id = $1 and t.archived_at is null and ${MINE}
    and ($3::timestamptz is null or (t.last_at, t.id) < ($3::timestamptz, $4::text))
    and ($6::text is null or exists (select 1 from thread_bots b
      where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $6))
  order by t.last_at desc, t.id desc limit $5`

/** The threads one is in, the last spoken in first; `before` is the last one of the page before. */
export async function listThreads(
  executor: Executor,
  actor: Actor,
  page: {
    readonly before?: Pick<ThreadSummary, 'id' | 'lastAt'> | undefined
    readonly limit: number
    /** Only those that this bot is in as well. */
    readonly bot?: string | undefined
  },
): Promise<readonly ThreadSummary[]> {
  return executor.query<ThreadSummary>(LIST, [
    actor.houseId,
    actor.id,
    page.before?.lastAt ?? null,
    page.before?.id ?? null,
    page.limit,
    page.bot ?? null,
  ])
}

export async function threadsOfBot(
  executor: Executor,
  houseId: HouseId,
  bot: ActorId,
): Promise<readonly { readonly threadId: ThreadId; readonly head: Offset }[]> {
  return executor.query(
    `select t.id as "threadId", t.head from thread_bots b
      join threads t on t.house_id = b.house_id and t.id = b.thread_id
      where b.house_id = $1 and b.bot_id = $2`,
    [houseId, bot],
  )
}
