import type { ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { noSuchThread } from '../threads/open-thread.ts'
import { type CaptureJson, TAIL_MAX, toCapture } from './thread-director-capture.ts'
import type { Capture } from './thread-director-port.ts'

/** What the thread's director would read now. Claims nothing and changes nothing, also while a turn runs. */
export async function peekCapture(executor: Executor, threadId: ThreadId): Promise<Capture> {
  const [row] = await executor.query<{ capture: CaptureJson | null }>(
    'select director_peek($1, $2) as capture',
    [threadId, TAIL_MAX],
  )
  if (row === undefined || row.capture === null) throw noSuchThread(threadId)
  return toCapture(row.capture)
}
