import { type ThreadId, toThreadId } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'

const THREAD_KEY = 'thread:'

/** Threads whose row is due, earliest first. Nothing is taken: who wants to work on one claims the director's lease. */
export async function dueThreads(executor: Executor, limit: number): Promise<readonly ThreadId[]> {
  const rows = await executor.query<{ key: string }>(
    `select key from dispatch
      where run_at <= clock_timestamp() and key like 'thread:%'
      order by run_at limit $1`,
    [limit],
  )
  return rows.map(({ key }) => toThreadId(key.slice(THREAD_KEY.length)))
}
