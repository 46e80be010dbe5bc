import type { ActorId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { entryAt } from '../streams/entry-row.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

/** A message as it stands after its last edit. */
export interface StoredMessage {
  readonly authorId: ActorId
  readonly mentions: readonly ActorId[]
  readonly everyone: boolean
  /** The handles by which it mentions. */
  readonly names: readonly { readonly id: ActorId; readonly handle: string }[]
  readonly causedBy: number | null
  readonly isImported: boolean
}

const READ = `
  select e.author_id as "authorId", e.caused_by as "causedBy",
    e.body ? 'saidAt' as "isImported",
    coalesce(edit.body, e.body) -> 'mentions' as mentions,
    -- A message that was stored before these were kept may have used any handle its people ever had.
    coalesce(coalesce(edit.body, e.body) -> 'names', (
      select jsonb_agg(jsonb_build_object('id', h.owner_id, 'handle', h.handle)) from handles h
      where h.house_id = e.house_id
        and h.owner_id in (select jsonb_array_elements_text(coalesce(edit.body, e.body) -> 'mentions'))
    ), '[]') as names,
    coalesce((coalesce(edit.body, e.body) ->> 'everyone')::boolean, false) as everyone
  from (${entryAt({ house: '$1', thread: '$2', seq: '$3' })}) e
  left join lateral (
    select x.body from entries x
    where x.thread_id = e.thread_id and x.kind = 'chat.edit'
      and x.body ->> 'target' = e.seq::text
    order by x.seq desc limit 1
  ) edit on true
  where e.kind = 'chat'
    and not exists (
      select 1 from entries x
      where x.thread_id = e.thread_id and x.kind = 'chat.delete'
        and x.body ->> 'target' = e.seq::text
    )`

/** Undefined: no entry stands there, it is no message, or it was deleted. */
export async function readMessage(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  seq: number,
): Promise<StoredMessage | undefined> {
  const [row] = await executor.query<StoredMessage>(READ, [houseId, threadId, seq])
  return row
}

const CAUSED = `
  select 1 from entries decision
  join entries cause on cause.thread_id = decision.thread_id and cause.author_id = $2 and cause.wakes
  where decision.thread_id = $1 and decision.key = 'arbe:decision:' || $3::text and (
    (cause.seq > (decision.body ->> 'from')::bigint and cause.seq <= (decision.body ->> 'to')::bigint)
    or exists (
      select 1 from jsonb_array_elements(decision.body -> 'requests') request
      where request ->> 'bot' = decision.body ->> 'speaker'
        and (request ->> 'entry')::bigint = cause.seq
    ))
  limit 1`

/** Whether the person wrote something of what that decision answered. */
export async function hasCaused(
  executor: Executor,
  asked: {
    readonly threadId: ThreadRef['threadId']
    readonly personId: ActorId
    readonly decision: number
  },
): Promise<boolean> {
  const rows = await executor.query(CAUSED, [asked.threadId, asked.personId, asked.decision])
  return rows.length > 0
}
