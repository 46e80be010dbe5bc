import type { HouseId, ThreadId, Usage } from '@arbe/sdk'
import type { CostBy } from '@arbe/sdk/api'
import type { Executor } from '../db/executor.ts'

export interface CostQuery {
  readonly houseId: HouseId
  /** Undefined: all threads of the house. */
  readonly threadId: ThreadId | undefined
  readonly by: CostBy
  /** ISO 8601; a call counts when it began. */
  readonly since: string
  readonly until: string
}

export interface CostRow {
  /** A day in UTC, the id of a thread or a bot (empty: the director), or a model's name. */
  readonly key: string
  readonly name: string
  readonly calls: number
  /** Calls whose bill never came: what they cost is not in the sum. */
  readonly unsettled: number
  readonly usage: Usage
  /** US dollars, all calls together. */
  readonly cost: number
  /** Of these, what went into choosing who speaks. */
  readonly choosing: number
}

/** What model calls have cost, out of the ledger: every call is in it, also of turns and workers that came to nothing. */
export async function sumCost(executor: Executor, query: CostQuery): Promise<readonly CostRow[]> {
  const { houseId, threadId, by, since, until } = query
  const { key, name, source, order } = GROUPS[by]
  return executor.query<CostRow>(
    `select key, coalesce(nullif(${name}, ''), key) as name, calls, unsettled, cost, choosing, usage
       from (
         select ${key} as key, count(*)::int as calls,
             count(*) filter (where settled_at is null)::int as unsettled,
             coalesce(sum(cost), 0)::float8 as cost,
             coalesce(sum(cost) filter (where bot_id is null), 0)::float8 as choosing,
             json_build_object(${TOKENS}) as usage
           from ledger
           where house_id = $1 and started_at >= $2 and started_at < $3
             and ($4::text is null or thread_id = $4)
           group by 1
       ) sums
       ${source}
       order by ${order}, key`,
    [houseId, since, until, threadId ?? null],
  )
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite']
  .map((of) => `'${of}', coalesce(sum((usage ->> '${of}')::float8), 0)`)
  .join(', ')

interface Group {
  readonly key: string
  readonly name: string
  /** Where the name is found; what was removed keeps its row, and so its name. */
  readonly source: string
  readonly order: string
}

const GROUPS: Readonly<Record<CostBy, Group>> = {
  day: {
    key: `to_char(started_at at time zone 'utc', 'YYYY-MM-DD')`,
    name: 'key',
    source: '',
    order: 'key',
  },
  thread: {
    key: 'thread_id',
    name: 't.title',
    source: 'left join threads t on t.house_id = $1 and t.id = key',
    order: 'cost desc',
  },
  bot: {
    key: `coalesce(bot_id, '')`,
    name: 'a.name',
    source: 'left join agents a on a.house_id = $1 and a.id = key',
    order: 'cost desc',
  },
  model: { key: 'model', name: 'key', source: '', order: 'cost desc' },
}
