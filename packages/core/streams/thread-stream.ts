import { type Entry, type HouseId, type Offset, type ThreadId, toOffset } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'
import { type EntryDraft, toEntryJson } from './entry-draft.ts'
import { entryColumns, knownEntries } from './entry-row.ts'

export interface ThreadRef {
  readonly houseId: HouseId
  readonly threadId: ThreadId
}

export type Appended =
  | { readonly status: 'ok'; readonly seq: Offset; readonly createdAt: string }
  /** The key is there with the same entry: where that stands. */
  | { readonly status: 'duplicate'; readonly seq: Offset; readonly createdAt: string }
  /** The key is there with another entry. */
  | { readonly status: 'conflict' }
  | { readonly status: 'gone' }

/** Entries in order, and the offset up to which the stream was read: past `entries` where kinds were unknown. */
export interface Page {
  readonly entries: readonly Entry[]
  readonly through: Offset
  readonly skipped: number
}

/** Appends and, for a waking entry, wakes its thread. Throws EntryRefused for a draft that is no entry. */
export async function appendEntry(executor: Executor, draft: EntryDraft): Promise<Appended> {
  const [row] = await executor.query<AppendRow>(
    'select status, seq, created_at from append_entry($1, $2, $3::jsonb)',
    [draft.houseId, draft.threadId, toEntryJson(draft)],
  )
  return toAppended(row)
}

/**
 * One transaction and one commit for all of them; each has its own answer, in the order given. Takes what `toEntryJson` made of
 * the drafts.
 */
export async function appendEntries(
  executor: Executor,
  entries: readonly string[],
): Promise<readonly Appended[]> {
  const rows = await executor.query<AppendRow>(
    'select status, seq, created_at from append_entries($1::jsonb)',
    [`[${entries.join(',')}]`],
  )
  return rows.map(toAppended)
}

/** The entries right after an offset; a full page says that there may be more. */
export async function readAfter(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  { after, limit }: { readonly after: Offset; readonly limit: number },
): Promise<Page> {
  const rows = await executor.query<Entry>(
    `select ${entryColumns} from entries
      where house_id = $1 and thread_id = $2 and seq > $3
      order by entries.seq limit $4`,
    [houseId, threadId, after, limit],
  )
  return toPage(rows, rows.at(-1)?.seq ?? after)
}

/** The entries right before an offset, in the stream's order; `through` is the offset of the first one read. */
export async function readBefore(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  { before, limit }: { readonly before: Offset; readonly limit: number },
): Promise<Page> {
  const rows = await executor.query<Entry>(
    `select ${entryColumns} from entries
      where house_id = $1 and thread_id = $2 and seq < $3
      order by entries.seq desc limit $4`,
    [houseId, threadId, before, limit],
  )
  return toPage(rows.toReversed(), rows.at(-1)?.seq ?? before)
}

/** Offset of the last entry; 0 in a thread without one, undefined where there is no thread. */
export async function headOf(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
): Promise<Offset | undefined> {
  const [row] = await executor.query<{ head: Offset }>(
    'select head from threads where house_id = $1 and id = $2',
    [houseId, threadId],
  )
  return row?.head
}

/** Offset of the last entry of each of these threads that exists. */
export async function headsOf(
  executor: Executor,
  threads: readonly ThreadRef[],
): Promise<ReadonlyMap<ThreadId, Offset>> {
  const rows = await executor.query<{ id: ThreadId; head: Offset }>(
    `select t.id, t.head from unnest($1::text[], $2::text[]) as w (house, thread)
      join threads t on t.house_id = w.house and t.id = w.thread`,
    [threads.map(({ houseId }) => houseId), threads.map(({ threadId }) => threadId)],
  )
  return new Map(rows.map(({ id, head }) => [id, head]))
}

/** `through` is the offset of the row that was read last, also where its kind is unknown. */
export function toPage(rows: readonly Entry[], through: Offset): Page {
  const entries = knownEntries(rows)
  return { entries, through, skipped: rows.length - entries.length }
}

/** What an append answers. */
export interface AppendRow {
  readonly status: Appended['status']
  readonly seq: number
  readonly created_at: Date
}

export function toAppended(row: AppendRow | undefined): Appended {
  if (row === undefined) throw new Error('an append gave no answer')
  const { status, seq, created_at } = row
  if (status === 'conflict' || status === 'gone') return { status }
  return { status, seq: toOffset(seq), createdAt: created_at.toISOString() }
}
