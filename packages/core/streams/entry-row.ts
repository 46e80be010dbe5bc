import { bodySchemas, type Entry, isEntryKind } from '@arbe/sdk'

/** What to select from `entries` (aliased or not) so that a row is an `Entry` as it comes: the door checked it when it was written. */
export const entryColumns = `
  thread_id as "threadId", seq, key, kind, author_id as "authorId", author_kind as "authorKind",
  wakes, readable, caused_by as "causedBy", hops, body,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`

/**
 * One entry by its place, as a subquery that only the primary key serves. With `=` a planner whose statistics are older than the
 * thread takes any index that begins with the thread, and reads the thread to its end: 15,000 blocks for one entry.
 */
export function entryAt(at: {
  readonly house: string
  readonly thread: string
  readonly seq: string
}): string {
  return `select * from entries e where e.house_id = ${at.house} and e.thread_id = ${at.thread}
    and e.seq >= ${at.seq} and e.seq <= ${at.seq} order by e.seq limit 1`
}

/** Without the entries of kinds that only a newer arbe knows. */
export function knownEntries(rows: readonly Entry[]): readonly Entry[] {
  return rows.every((row) => isEntryKind(row.kind))
    ? rows
    : rows.filter((row) => isEntryKind(row.kind))
}

/**
 * False for what only another version can read: an entry of an unknown kind, or without the body of its kind. What decides and
 * speaks asks this of every entry that it reads, since one that throws would be met again at every attempt; it takes 3 µs.
 */
export function isSound(row: Entry): boolean {
  return isEntryKind(row.kind) && bodySchemas[row.kind].safeParse(row.body).success
}

/** Of an entry that came as JSON, where times stand as the database writes them. */
export function withIsoTime(entry: Entry): Entry {
  return { ...entry, createdAt: new Date(entry.createdAt).toISOString() }
}
