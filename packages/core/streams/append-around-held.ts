import type { Executor } from '../db/executor.ts'
import { isHeldByOther } from '../db/held-by-other.ts'
import { type Appended, type AppendRow, toAppended } from './thread-stream.ts'

/** Another transaction writes in the thread, or stands still there: nothing was appended. */
export interface Held {
  readonly status: 'held'
}

/** As `appendEntries`, and waits for nobody: what is held is told and left out. */
export async function appendFreeEntries(
  executor: Executor,
  entries: readonly string[],
): Promise<readonly (Appended | Held)[]> {
  const rows = await executor.query<AppendRow | Held>(
    'select status, seq, created_at from append_free_entries($1::jsonb)',
    [`[${entries.join(',')}]`],
  )
  return rows.map((row) => (row.status === 'held' ? { status: 'held' } : toAppended(row)))
}

/** As `appendEntries`, and all of them are held when that takes too long. For no transaction: it would be as impatient after it. */
export async function appendEntriesWithin(
  executor: Executor,
  entries: readonly string[],
  ms: number,
): Promise<readonly (Appended | Held)[]> {
  try {
    const rows = await executor.query<AppendRow>(
      'select status, seq, created_at from append_entries_within($1::jsonb, $2)',
      [`[${entries.join(',')}]`, ms],
    )
    return rows.map(toAppended)
  } catch (error) {
    if (isHeldByOther(error)) return entries.map(() => ({ status: 'held' }))
    throw error
  }
}
