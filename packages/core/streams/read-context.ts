import type { ActorId, Entry, Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { entryColumns, knownEntries } from './entry-row.ts'
import type { ThreadRef } from './thread-stream.ts'

export interface ContextRange extends ThreadRef {
  readonly botId: ActorId
  /** The turn answers the waking entries behind `from`; nothing past `seen` is read. */
  readonly from: Offset
  readonly seen: Offset
  /** Entries the turn owes an answer to, however far back they stand. */
  readonly owed: readonly Offset[]
  /** How many entries of the conversation are read. */
  readonly limit: number
}

export interface ReadContext {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The entries hold everything of the conversation behind this offset; 0: nothing was left out. */
  readonly after: number
}

/**
 * What a bot's turn reads: the last entries of the conversation, all that it answers with what edits and deletes that, and of the
 * bot's own turns since then the decisions and all that they stored. A turn is here whole or not at all.
 */
export async function readContext(
  executor: Executor,
  { houseId, threadId, botId, from, seen, owed, limit }: ContextRange,
): Promise<ReadContext> {
  const params = [houseId, threadId, botId, from, seen, owed, limit, OWN_WORK_BYTES]
  const rows = await executor.query<Entry & { readonly after: number }>(READ_CONTEXT, params)
  const entries = rows.map((row): Entry => {
    const { after: _, ...entry } = row
    return entry
  })
  return { entries: knownEntries(entries), after: rows[0]?.after ?? 0 }
}

// As stored, so compressed: several times what any request takes, and little enough to read for every turn.
const OWN_WORK_BYTES = 1024 * 1024

// A window frame without `rows` ends behind the last peer, so that the sum below counts a turn's entries together.
const READ_CONTEXT = `
  with conversation as materialized (
    select e.seq from entries e
      where e.thread_id = $2 and e.seq <= $5
        and (e.readable or e.kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))
      order by e.seq desc limit $7
  ), start as (
    select case when count(*) < $7 then 0 else min(seq) - 1 end as after from conversation
  ), answered as (
    select e.seq from start, entries e
      where e.thread_id = $2 and e.wakes and e.seq > $4 and e.seq <= start.after
    union select unnest($6::bigint[])
  ), changed as (
    select e.seq from start, entries e
      where e.thread_id = $2 and e.seq > (select min(seq) from answered) and e.seq <= start.after
        and e.kind in ('chat.edit', 'chat.delete')
        and (e.readable or e.kind in ('chat.edit', 'chat.delete', 'thread.ask', 'thread.continue'))
        and (e.body ->> 'target')::bigint in (select seq from answered)
  ), own as (
    select e.seq, (e.body ->> 'd')::bigint as d from start, entries e
      where e.thread_id = $2 and e.author_kind = 'director' and e.seq > start.after and e.seq <= $5
        and e.kind = 'signal.thread_director.decision' and e.body ->> 'speaker' = $3
  ), work as (
    select e.seq, sum(pg_column_size(e.body)) over (order by e.caused_by desc) as bytes
      from own join entries e on e.thread_id = $2 and e.caused_by = own.d
      where e.kind in ('pi.assistant', 'pi.tool_result') and e.seq <= $5
  ), wanted as (
    select seq from conversation
    union select seq from answered
    union select seq from changed
    union select seq from own
    union select seq from work where bytes <= $8
  )
  select ${entryColumns}, start.after from start, entries
    where house_id = $1 and thread_id = $2 and seq in (select seq from wanted) and seq <= $5
    order by entries.seq`
