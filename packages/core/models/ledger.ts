import { type ActorId, type HouseId, NO_USAGE, type ThreadId, type Usage } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { toJsonText } from '../streams/json-text.ts'
import type { AskedRequest } from './asked-requests.ts'
import type { Model, ModelReply } from './model.ts'
import { mostCostOf } from './most-cost.ts'

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
  /** What it may cost at most, in US dollars: reserved until its bill comes. */
  readonly most: number
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
  /** False, and nothing is written, when the house's budget of the day has no room for it beside what is reserved. */
  before(call: LedgerCall): Promise<boolean>
  settle(callId: string, bill: Bill): Promise<void>
  spendOfDecision(of: SpendOf): Promise<Spend>
  /** The house has nothing left of its budget of the day, whatever comes of the calls that are under way. */
  isSpent(houseId: HouseId): Promise<boolean>
}

export function createBooks(db: Executor): Books {
  return {
    before: (call) => beforeCall(db, call),
    settle: (callId, bill) => settleCall(db, callId, bill),
    spendOfDecision: (of) => spendOfDecision(db, of),
    isSpent: (houseId) => isSpent(db, houseId),
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

export async function beforeCall(executor: Executor, call: LedgerCall): Promise<boolean> {
  const [row] = await executor.query<{ isOpen: boolean }>(`select ledger_open($1) as "isOpen"`, [
    toJsonText(call).text,
  ])
  return row?.isOpen === true
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

async function isSpent(executor: Executor, houseId: HouseId): Promise<boolean> {
  const [row] = await executor.query<{ isSpent: boolean | null }>(
    `select today.billed + today.lost >= h.budget_per_day as "isSpent"
      from houses h cross join ledger_today(h.id) today where h.id = $1`,
    [houseId],
  )
  return row?.isSpent === true
}

/**
 * Writes a call down as soon as the budget has room for it; false when there will be none. What calls under way have reserved is
 * mostly given back when their bills come: that is waited for, and not for long.
 */
export async function openCall(
  books: Books,
  call: LedgerCall,
  { clock, signal }: { readonly clock: Waiting; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let waited = 0; ; waited += LOOK_MS) {
    if (await books.before(call)) return true
    if (waited >= LONGEST_WAIT_MS || (await books.isSpent(call.houseId))) return false
    await clock.sleep(LOOK_MS, signal)
    if (signal.aborted) return false
  }
}

export interface Waiting {
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const LOOK_MS = 500
const LONGEST_WAIT_MS = 20_000

/** The model with its books kept: one row a request, settled whatever becomes of it. */
export function meteredModel(
  model: Model,
  metering: {
    readonly books: Books
    readonly clock: Waiting
    readonly newCallId: () => string
    readonly call: Omit<LedgerCall, 'callId' | 'model' | 'most'>
  },
): Model {
  return {
    ...model,
    async call(request, options) {
      const { books, clock } = metering
      const callId = metering.newCallId()
      const call = { ...metering.call, callId, model: model.id, most: mostCostOf(model, request) }
      if (!(await openCall(books, call, { clock, signal: options.signal }))) return budgetSpent
      const reply = await model.call(request, options)
      const { usage, cost } = reply
      const error = reply.status === 'failed' ? reply.error : undefined
      await books.settle(callId, { usage, cost, error })
      return reply
    },
  }
}

const budgetSpent: ModelReply = {
  status: 'failed',
  error: 'the budget of today is spent',
  retryable: false,
  unasked: true,
  partial: '',
  usage: NO_USAGE,
  cost: 0,
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
