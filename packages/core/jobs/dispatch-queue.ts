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

/** The row's rev: a wake since then has moved it. Undefined without a row. */
export async function dispatchRev(
  executor: Executor,
  threadId: ThreadId,
): Promise<number | undefined> {
  const [row] = await executor.query<{ rev: number }>('select rev from dispatch where key = $1', [
    THREAD_KEY + threadId,
  ])
  return row?.rev
}
