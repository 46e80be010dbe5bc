import type { ThreadId } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'

/** Says that the thread may have something to decide; an append of a waking entry does it by itself. */
export async function wakeThread(executor: Executor, threadId: ThreadId): Promise<void> {
  await executor.query('select wake_thread($1)', [threadId])
}
