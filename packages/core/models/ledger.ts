import type { ActorId, HouseId, ThreadId, Usage } from '@arbe/sdk'
import { dailyBudget } from '../access/houses.ts'
import type { Executor } from '../db/executor.ts'
import { toJsonText } from '../streams/json-text.ts'
import type { AskedRequest } from './asked-requests.ts'
import type { Model } from './model.ts'

/** One model call, for the books: written before it is made, so that no spend goes unseen. */
export interface LedgerCall {
  readonly callId: string
  readonly houseId: HouseId
  readonly threadId: ThreadId
  readonly decision: number
  readonly botId: ActorId | undefined
  /** A preview is a decision without an effect: it costs money and decides nothing. */
  readonly purpose: 'decide' | 'turn' | 'preview' | 'replay'
  readonly model: string
  /** Kept of calls that decide. */
  readonly asked?: AskedRequest
}

export interface Spend {
  readonly calls: number
  /** Calls whose bill is not known: the process died before it came. */
  readonly unsettled: number
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
}

/** What a model's calls are written into, and read from when they are summed. */
export interface Books {
  before(call: LedgerCall): Promise<void>
  settle(callId: string, bill: Bill): Promise<void>
  spendOfDecision(of: SpendOf): Promise<Spend>
  /** The house has nothing left of its budget of the day. */
  isSpent(houseId: HouseId): Promise<boolean>
}

export function createBooks(db: Executor): Books {
  return {
    before: (call) => beforeCall(db, call),
    settle: (callId, bill) => settleCall(db, callId, bill),
    spendOfDecision: (of) => spendOfDecision(db, of),
    async isSpent(houseId) {
      const budget = await dailyBudget(db, houseId)
      if (budget === undefined) return false
      return (await spendOfToday(db, houseId)).cost >= budget
    },
  }
}

export interface Bill {
  readonly usage: Usage
  readonly cost: number
  readonly error: string | undefined
  readonly answered?: string
}

export interface SpendOf {
  readonly threadId: ThreadId
  readonly decision: number
  readonly purpose: LedgerCall['purpose']
}

export async function beforeCall(executor: Executor, call: LedgerCall): Promise<void> {
  await executor.query(
    `insert into ledger (call_id, house_id, thread_id, decision, bot_id, purpose, model, asked)
     values ($1, $2, $3, $4, $5, $6, $7, $8::json)`,
    [
      call.callId,
      call.houseId,
      call.threadId,
      call.decision,
      call.botId ?? null,
      call.purpose,
      call.model,
      call.asked === undefined ? null : toJsonText(call.asked).text,
    ],
  )
}

export async function settleCall(executor: Executor, callId: string, bill: Bill): Promise<void> {
  await executor.query(
    `update ledger set usage = $2::jsonb, cost = $3, error = $4, answered = $5,
       settled_at = clock_timestamp()
     where call_id = $1`,
    [callId, JSON.stringify(bill.usage), bill.cost, bill.error ?? null, bill.answered ?? null],
  )
}

/** What a decision's turn (or its own choosing) has cost so far, all attempts included. */
export async function spendOfDecision(executor: Executor, of: SpendOf): Promise<Spend> {
  return spend(executor, `thread_id = $1 and decision = $2 and purpose = $3`, [
    of.threadId,
    of.decision,
    of.purpose,
  ])
}

/** What a house has spent since midnight in UTC: what its budget of the day is held against. */
export async function spendOfToday(executor: Executor, houseId: HouseId): Promise<Spend> {
  return spend(
    executor,
    `house_id = $1 and started_at >= date_trunc('day', clock_timestamp() at time zone 'utc') at time zone 'utc'`,
    [houseId],
  )
}

/** The model with its books kept: one row a request, settled whatever becomes of it. */
export function meteredModel(
  model: Model,
  metering: {
    readonly books: Books
    readonly newCallId: () => string
    readonly call: Omit<LedgerCall, 'callId' | 'model'>
  },
): Model {
  return {
    ...model,
    async call(request, options) {
      const { books } = metering
      const callId = metering.newCallId()
      await books.before({ ...metering.call, callId, model: model.id })
      const reply = await model.call(request, options)
      const { usage, cost } = reply
      const error = reply.status === 'failed' ? reply.error : undefined
      await books.settle(callId, { usage, cost, error })
      return reply
    },
  }
}

interface SpendRow {
  readonly calls: number
  readonly unsettled: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cost: number
}

async function spend(
  executor: Executor,
  where: string,
  params: readonly unknown[],
): Promise<Spend> {
  const [row] = await executor.query<SpendRow>(
    `select count(*)::int as calls,
       count(*) filter (where settled_at is null)::int as unsettled,
       coalesce(sum((usage->>'input')::float8), 0)::float8 as input,
       coalesce(sum((usage->>'output')::float8), 0)::float8 as output,
       coalesce(sum((usage->>'cacheRead')::float8), 0)::float8 as cache_read,
       coalesce(sum((usage->>'cacheWrite')::float8), 0)::float8 as cache_write,
       coalesce(sum(cost), 0)::float8 as cost
     from ledger where ${where}`,
    params,
  )
  if (row === undefined) throw new Error('a sum without a group has one row')
  const usage = {
    input: row.input,
    output: row.output,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
  }
  return { calls: row.calls, unsettled: row.unsettled, usage, cost: row.cost }
}
