import { listBots } from '@arbe/core/bots/bots'
import type { Executor } from '@arbe/core/db/executor'
import { buildAgentTools, filterAgentTools } from '@arbe/core/dispatch/agent-tools'
import type { Clock } from '@arbe/core/dispatch/clock'
import { beforeCall, settleCall, spendOfToday } from '@arbe/core/models/ledger'
import type { Model, Models } from '@arbe/core/models/model'
import {
  type DecisionLedger,
  decidePaid,
} from '@arbe/core/thread-director/thread-director-decision'
import {
  type Answer,
  draftDecision,
  draftGiveUp,
} from '@arbe/core/thread-director/thread-director-draft'
import type { DirectorView } from '@arbe/core/thread-director/thread-director-entry-view'
import { isPaused, pausedAnswer } from '@arbe/core/thread-director/thread-director-pause'
import type { DecisionDraft, RosterBot } from '@arbe/core/thread-director/thread-director-port'
import { decide, type PaidQuestion } from '@arbe/core/thread-director/thread-director-rules'
import { dailyBudget } from '@arbe/core/access/houses'
import type { Hold } from './lease-keeper.ts'

export interface DeciderParts {
  readonly db: Executor
  readonly models: Models
  readonly clock: Clock
  readonly newCallId: () => string
  readonly random: () => number
  readonly quietMs: number
}

/** The view and the ordinal that the decision will get. */
export interface NextDecision {
  readonly view: DirectorView
  readonly d: number
}

/** A pass that throws is tried again this often; then people are told instead. */
const MOST_ATTEMPTS = 8

/** No burst holds a decision up for longer. */
const LONGEST_BURST_MS = 2_000

/** A free rule, or one paid decision. Undefined: a burst is still coming in, look again. */
export async function decideNext(
  parts: DeciderParts,
  hold: Hold,
  next: NextDecision,
): Promise<DecisionDraft | undefined> {
  const { view } = next
  const started = performance.now()
  if (hold.lease.attempts > MOST_ATTEMPTS) {
    return draftGiveUp(view, `tried ${MOST_ATTEMPTS} times; the server's log has the reason`)
  }
  const answer = decide(view)
  if (answer.kind === 'free') return draftDecision(view, answer, performance.now() - started)
  const model = view.thread.directorModel ?? parts.models.defaultName
  if (isPaused(view, model)) {
    return draftDecision(view, pausedAnswer(answer, model), performance.now() - started)
  }
  const wait = burstLeft(view, parts.quietMs)
  if (wait > 0) {
    await parts.clock.sleep(wait, hold.signal)
    return undefined
  }
  const paid = await ask(parts, hold, { ...next, question: answer })
  hold.signal.throwIfAborted()
  return draftDecision(view, paid, performance.now() - started)
}

function burstLeft(view: DirectorView, quietMs: number): number {
  const times = view.unread.map(({ createdAt }) => Date.parse(createdAt))
  const first = times.at(0)
  const last = times.at(-1)
  if (first === undefined || last === undefined) return 0
  return Math.max(0, Math.min(last + quietMs, first + LONGEST_BURST_MS) - view.now)
}

interface Question extends NextDecision {
  readonly question: PaidQuestion
}

async function ask(
  parts: DeciderParts,
  hold: Hold,
  { view, d, question }: Question,
): Promise<Answer> {
  const { models, clock, random } = parts
  const name = view.thread.directorModel ?? models.defaultName
  const model = models.find(name)
  if (model === undefined) {
    const reason = `the director's model "${name}" is unknown or has no key`
    return { kind: 'undecided', rule: 'unavailable', reason, question, model: name, cost: 0 }
  }
  const ledger = decisionLedger(parts, { hold, d, model })
  const told = await withTools(parts, hold, { view, d })
  return await decidePaid({
    view: told,
    question,
    model,
    ledger,
    random,
    clock,
    signal: hold.signal,
  })
}

/** What each bot may use: a model chooses by it, and no rule needs it. */
async function withTools(
  { db }: DeciderParts,
  { lease: { houseId, threadId } }: Hold,
  { view, d }: NextDecision,
): Promise<DirectorView> {
  const settings = new Map((await listBots(db, houseId)).map((bot) => [bot.id, bot]))
  const toolsOf = ({ id }: RosterBot): readonly string[] => {
    const context = { houseId, threadId, agentId: id, decision: d, hops: 0, db }
    const { toolsAllow = null, toolsDeny = [] } = settings.get(id) ?? {}
    const rules = { allow: toolsAllow ?? undefined, deny: toolsDeny }
    return filterAgentTools(buildAgentTools(context), rules).map(({ spec }) => spec.name)
  }
  return { ...view, bots: view.bots.map((bot) => ({ ...bot, tools: toolsOf(bot) })) }
}

function decisionLedger(
  { db, newCallId }: DeciderParts,
  { hold, d, model }: { readonly hold: Hold; readonly d: number; readonly model: Model },
): DecisionLedger {
  const { houseId, threadId } = hold.lease
  return {
    async before() {
      if (await isSpent(db, hold, model)) return { status: 'budget_spent' }
      const callId = newCallId()
      const books = { callId, houseId, threadId, decision: d, botId: undefined, model: model.id }
      await beforeCall(db, { ...books, purpose: 'decide' })
      return { status: 'open', id: callId }
    },
    after: (id, { usage, cost, error }) => settleCall(db, id, { usage, cost, error }),
  }
}

async function isSpent(db: Executor, { lease }: Hold, { price }: Model): Promise<boolean> {
  if (price.input === 0 && price.output === 0) return false
  const budget = await dailyBudget(db, lease.houseId)
  if (budget === undefined) return false
  return (await spendOfToday(db, lease.houseId)).cost >= budget
}
