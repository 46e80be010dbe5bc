import { NO_USAGE, type Usage } from '@arbe/sdk'
import { answerOf, type AskedRequest } from '../models/asked-requests.ts'
import type { Model, ModelReply, ModelRequest } from '../models/model.ts'
import type { PaidAnswer, Undecided } from './thread-director-draft.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import { readDecisionAnswer } from './thread-director-pick.ts'
import { buildDecisionRequest, corrected, DECIDE } from './thread-director-prompt.ts'
import type { FreeAnswer, PaidQuestion } from './thread-director-rules.ts'

/** One row a model call: written before it, so that spend is on record whatever happens to this process. */
export interface DecisionLedger {
  before(call: { readonly model: string; readonly asked: AskedRequest }): Promise<LedgerRow>
  after(
    id: string,
    spend: Spend & { readonly answered: string; readonly error?: string },
  ): Promise<void>
}

export type LedgerRow =
  | { readonly status: 'open'; readonly id: string }
  /** The house has spent its day's budget and the model has a price. */
  | { readonly status: 'budget_spent' }

export interface Spend {
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
}

export interface PaidDecision {
  readonly view: DirectorView
  readonly question: PaidQuestion
  readonly model: Model
  readonly ledger: DecisionLedger
  /** At least 0, below 1. */
  readonly random: () => number
  /** Once it aborts, nothing more is asked. */
  readonly signal: AbortSignal
  /** What becomes of a call that is under way then: one that is cut has no bill, one that ends has. */
  readonly onAbort: 'cut_call' | 'end_call'
  readonly clock: {
    now(): number
    /** Ends early, without an error, when the signal aborts. */
    sleep(ms: number, signal: AbortSignal): Promise<void>
  }
}

/** Asks a model, once more if its answer is unusable, and never takes an answer for another than it is. */
export async function decidePaid(paid: PaidDecision): Promise<PaidAnswer | Undecided | FreeAnswer> {
  const meter = startMeter()
  let problem: string | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { request, idOf } = buildDecisionRequest(paid.view, paid.question, paid.random)
    const sent = problem === undefined ? request : corrected(request, problem)
    const asked = { attempt, candidates: Object.fromEntries(idOf), ...sent }
    const reply = await callPatiently(paid, asked, meter)
    if (reply.status === 'budget_spent') return budgetSpent(meter.total())
    if (reply.status === 'failed') return unavailable(paid, reply, meter)
    const pick = readDecisionAnswer(reply.message, { idOf, bots: paid.view.bots })
    if (pick.status === 'picked') {
      const { speaker, reason, salvaged } = pick
      return { kind: 'paid', ...common(paid, meter), speaker, reason, salvaged }
    }
    problem = pick.problem
  }
  const reason = `the model answered twice with no candidate: ${problem}`
  return { kind: 'undecided', rule: 'no_answer', ...common(paid, meter), reason }
}

/** Without its tool the director would talk instead of choosing. */
export function requireDecideTool(request: ModelRequest): void {
  const hasTool = request.tools.some(({ name }) => name === DECIDE)
  if (!hasTool || request.forceTool !== DECIDE) {
    throw new Error(`a decision's request must force the tool ${DECIDE}`)
  }
}

const ATTEMPTS = 2
const CALL_MS = 20_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
const PATIENCE_MS = 120_000

type Answered = Extract<ModelReply, { status: 'ok' }>
type Failed = Extract<ModelReply, { status: 'failed' }>
type Called = Answered | Failed | Extract<LedgerRow, { status: 'budget_spent' }>

/** Provider down or slow: asked again after 1, 2, 4 … 30 s while two minutes last. */
async function callPatiently(
  paid: PaidDecision,
  asked: AskedRequest,
  meter: Meter,
): Promise<Called> {
  const start = paid.clock.now()
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    const reply = await callOnce(paid, asked, meter)
    if (reply.status !== 'failed' || !reply.retryable) return reply
    const pause = Math.max(wait, reply.retryAfter ?? 0)
    if (paid.clock.now() + pause - start > PATIENCE_MS) return reply
    await paid.clock.sleep(pause, paid.signal)
    paid.signal.throwIfAborted()
  }
}

async function callOnce(paid: PaidDecision, asked: AskedRequest, meter: Meter): Promise<Called> {
  paid.signal.throwIfAborted()
  const { attempt: _, candidates: __, ...request } = asked
  requireDecideTool(request)
  const { circuit } = paid.model
  const refusal = circuit?.refusal()
  if (refusal !== undefined) return refusal
  const row = await paid.ledger.before({ model: paid.model.id, asked })
  if (row.status === 'budget_spent') return row
  const reply = await callInTime(paid, request)
  circuit?.heard(reply)
  const { usage, cost } = reply
  meter.add(reply)
  const error = reply.status === 'failed' ? { error: reply.error } : {}
  await paid.ledger.after(row.id, { usage, cost, answered: answerOf(reply), ...error })
  if (reply.status === 'aborted') throw paid.signal.reason
  paid.signal.throwIfAborted()
  return reply
}

async function callInTime(paid: PaidDecision, request: ModelRequest): Promise<ModelReply> {
  const done = new AbortController()
  const late = new AbortController()
  const timer = paid.clock.sleep(CALL_MS, done.signal).then(() => late.abort())
  const cuts = paid.onAbort === 'cut_call' ? [paid.signal, late.signal] : [late.signal]
  const signal = AbortSignal.any(cuts)
  try {
    const reply = await paid.model.call(request, { signal, onEvent: () => undefined })
    if (reply.status !== 'aborted' || paid.signal.aborted) return reply
    const error = `${paid.model.id} did not answer within ${CALL_MS / 1_000} s`
    return { ...reply, status: 'failed', error, retryable: true, down: true }
  } finally {
    done.abort()
    await timer
  }
}

function budgetSpent({ cost }: Spend): FreeAnswer {
  const answer = { kind: 'free', rule: 'budget_spent', speaker: null, about: [] } as const
  return cost === 0 ? answer : { ...answer, cost }
}

function unavailable(paid: PaidDecision, reply: Failed, meter: Meter): Undecided {
  const { error } = reply
  const undecided = { kind: 'undecided', rule: 'unavailable', error } as const
  const { question, model } = paid
  // Never called, it has not failed here.
  if (!meter.hasCalls()) {
    return {
      ...undecided,
      reason: 'the model is not answering',
      question,
      model: model.id,
      cost: 0,
    }
  }
  return { ...undecided, ...common(paid, meter), reason: whyUnavailable(reply) }
}

function whyUnavailable({ retryable, down }: Failed): string {
  if (retryable) return 'the model could not be reached for two minutes'
  return down === true ? 'the model stopped answering' : 'the model refused to answer'
}

function common(
  { question, model }: PaidDecision,
  meter: Meter,
): Pick<PaidAnswer, 'question' | 'model' | 'usage' | 'cost'> {
  return { question, model: model.id, ...meter.total() }
}

interface Meter {
  add(spend: Spend): void
  hasCalls(): boolean
  total(): Spend
}

function startMeter(): Meter {
  let usage: Usage = NO_USAGE
  let cost = 0
  let calls = 0
  return {
    hasCalls: () => calls > 0,
    add(spend) {
      calls += 1
      usage = {
        input: usage.input + spend.usage.input,
        output: usage.output + spend.usage.output,
        cacheRead: usage.cacheRead + spend.usage.cacheRead,
        cacheWrite: usage.cacheWrite + spend.usage.cacheWrite,
      }
      cost += spend.cost
    },
    total: () => ({ usage, cost }),
  }
}
