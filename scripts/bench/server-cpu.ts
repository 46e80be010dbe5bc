import type { Database } from '@arbe/core/db/executor'
import { readFileSync } from 'node:fs'

/** Processes of the server that work for this database; the embedded engine has none. */
export async function serverProcesses(db: Database): Promise<readonly number[]> {
  if (db.engine === 'pglite') return []
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rows.map(({ pid }) => pid)
}

/** Milliseconds that processors have worked for these processes; the system counts it in nanoseconds. */
export function cpuOf(pids: readonly number[]): number {
  return pids
    .map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0)
}
