import type { ActorId, AuthorKind } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { entryAt } from '../streams/entry-row.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

/** Somebody whose words a turn answers, or whose words made a bot say what it answers. */
export interface TurnCause {
  readonly id: ActorId
  readonly kind: AuthorKind
  /** Written in a turn, which has causes of its own. */
  readonly inTurn: boolean
}

// What a decision's turn answers is what it serves, else all that it covers; a bot's words lead on to the decision behind them, in
// their own thread or in the one they were posted from. `union` ends the walk where it has been. Each look names what one index alone
// serves: with the house beside a decision's key, the primary key's would do as well, and be read to the thread's end.
const CAUSES = `
  with recursive cause (author_id, author_kind, thread_id, d) as (
    select null::text, null::text, $2::text, $3::bigint
    union
    select e.author_id, e.author_kind, coalesce(e.body #>> '{origin,threadId}', e.thread_id),
        coalesce((e.body #>> '{origin,decision}')::bigint, e.caused_by)
      from cause
      join entries decision
        on decision.thread_id = cause.thread_id and decision.key = 'arbe:decision:' || cause.d
      cross join lateral (
        select array_agg((request ->> 'entry')::bigint) as served
          from jsonb_array_elements(decision.body -> 'requests') request
          where request ->> 'bot' = decision.body ->> 'speaker'
            and (request ->> 'entry')::bigint <= (decision.body ->> 'to')::bigint
      ) answered
      cross join lateral (
        select e.* from entries e
          where answered.served is null and e.thread_id = cause.thread_id and e.wakes
            and e.seq > (decision.body ->> 'from')::bigint and e.seq <= (decision.body ->> 'to')::bigint
        union all
        select e.* from unnest(answered.served) place
          cross join lateral (${entryAt({ house: '$1', thread: 'cause.thread_id', seq: 'place' })}) e
          where e.wakes
      ) e
  )
  select author_id as id, author_kind as kind, bool_and(d is not null) as "inTurn"
    from cause where author_id is not null group by author_id, author_kind order by author_id`

/** Everybody on whose behalf a decision's turn runs, back to those who spoke of themselves. */
export async function causesOfTurn(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  decision: number,
): Promise<readonly TurnCause[]> {
  return executor.query<TurnCause>(CAUSES, [houseId, threadId, decision])
}
