import type { DecisionRecord } from '@arbe/sdk/api'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

const LIST = `
  select e.seq, e.body as decision, outcome.body as outcome,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from entries e
  left join entries outcome
    on outcome.thread_id = e.thread_id and outcome.key = 'arbe:outcome:' || (e.body ->> 'd')
  where e.house_id = $1 and e.thread_id = $2 and e.author_kind = 'director'
    and e.kind = 'signal.thread_director.decision' and ($3::bigint is null or e.seq < $3)
  order by e.seq desc limit $4`

/** Newest first. */
export async function listDecisions(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  page: { readonly before: number | undefined; readonly limit: number },
): Promise<readonly DecisionRecord[]> {
  return executor.query<DecisionRecord>(LIST, [houseId, threadId, page.before ?? null, page.limit])
}
