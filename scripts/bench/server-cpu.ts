import type { Database } from '@arbe/core/db/executor'
import { existsSync, readFileSync } from 'node:fs'

/** Processes of the server that work for this database; the embedded engine has none. */
export async function serverProcesses(db: Database): Promise<readonly number[]> {
  if (db.engine === 'pglite') return []
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rows.map(({ pid }) => pid)
}

/** Tells, when asked, how many milliseconds processors have worked for these processes since now; what has ended meanwhile is left out. */
export function watchCpu(pids: readonly number[]): () => number {
  const before = pids.map((pid) => [pid, cpuOf(pid)] as const)
  return () =>
    before.map(([pid, start]) => Math.max(0, cpuOf(pid) - start)).reduce((sum, ms) => sum + ms, 0)
}

/** 0: there is no such process any more. The system counts in nanoseconds. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : 0
}
