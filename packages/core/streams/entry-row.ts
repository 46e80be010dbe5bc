import { type Entry, isEntryKind } from '@arbe/sdk'

/** What to select from `entries` (aliased or not) so that a row is an `Entry` as it comes: the door checked it when it was written. */
export const entryColumns = `
  thread_id as "threadId", seq, key, kind, author_id as "authorId", author_kind as "authorKind",
  wakes, readable, caused_by as "causedBy", hops, body,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`

/** Without the entries of kinds that only a newer arbe knows. */
export function knownEntries(rows: readonly Entry[]): readonly Entry[] {
  return rows.every((row) => isEntryKind(row.kind))
    ? rows
    : rows.filter((row) => isEntryKind(row.kind))
}

/** Of an entry that came as JSON, where times stand as the database writes them. */
export function withIsoTime(entry: Entry): Entry {
  return { ...entry, createdAt: new Date(entry.createdAt).toISOString() }
}
