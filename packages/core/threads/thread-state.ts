import type { ThreadId } from '@arbe/sdk'
import type { ThreadState } from '@arbe/sdk/api'
import type { Executor } from '../db/executor.ts'

interface StateRow {
  readonly fence: number
  readonly until: number
  readonly d: number
  readonly speaker: string | null
  readonly since: number | null
}

const READ = `
  select director.fence, floor(extract(epoch from director.lease_until) * 1000)::bigint as until, director.d,
    case when director.last_outcome is null then director.last_decision ->> 'speaker' end as speaker,
    floor(extract(epoch from decision.created_at) * 1000)::bigint as since
  from thread_directors director
  left join entries decision
    on decision.thread_id = director.thread_id and decision.key = 'arbe:decision:' || director.d
  where director.thread_id = $1 and director.lease_until > clock_timestamp()`

/** From the live lease, so that it ends with it: a worker that died leaves no thread that types for ever. */
export async function readThreadState(
  executor: Executor,
  threadId: ThreadId,
): Promise<ThreadState> {
  const [row] = await executor.query<StateRow>(READ, [threadId])
  if (row === undefined) return { status: 'quiet' }
  const { fence, until, d, speaker, since } = row
  if (speaker === null || since === null) return { status: 'deciding', fence, until }
  return { status: 'speaking', fence, bot: speaker, decision: d, tool: null, since, until }
}
