import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { type Books, type LedgerCall, openCall } from '../models/ledger.ts'
import type { Model, Models } from '../models/model.ts'
import { mostCostOf } from '../models/most-cost.ts'
import { tokensIn } from './thread-director-budget.ts'
import { type DecisionLedger, decidePaid, type PaidDecision } from './thread-director-decision.ts'
import type { Answer } from './thread-director-draft.ts'
import type { DirectorView } from './thread-director-entry-view.ts'
import { buildDecisionRequest } from './thread-director-prompt.ts'
import { isPaused, pausedAnswer } from './thread-director-pause.ts'
import { decide, type PaidQuestion } from './thread-director-rules.ts'

/** What it takes to ask a director's model. */
export interface Asker extends Pick<PaidDecision, 'clock' | 'random'> {
  readonly books: Books
  readonly models: Models
  readonly newCallId: () => string
  /** What each bot may use: a model chooses by it, and no rule needs it. */
  readonly toolNames: (place: DecisionPlace) => Promise<(bot: ActorId) => readonly string[]>
}

/** Who asks outside of a pass reads for itself. */
export interface ReadingAsker extends Asker {
  readonly db: Executor
}

export interface DecisionPlace {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  /** The ordinal that the decision has or will get. */
  readonly d: number
}

export interface ModelQuestion {
  readonly place: DecisionPlace
  readonly purpose: Exclude<LedgerCall['purpose'], 'turn'>
  readonly view: DirectorView
  readonly question: PaidQuestion
  readonly signal: AbortSignal
}

export type Unasked =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'open'; readonly question: PaidQuestion }

/** What can be said without asking a model: a free rule's answer, or that the model is paused. */
export function answerUnasked(models: Models, view: DirectorView): Unasked {
  const answer = decide(view)
  if (answer.kind === 'free') return { status: 'answered', answer }
  const model = modelNameOf(models, view)
  return isPaused(view, model)
    ? { status: 'answered', answer: pausedAnswer(answer, model) }
    : { status: 'open', question: answer }
}

/** One paid decision by the thread's own model, in the books and under the house's budget, whoever wants to know. */
export async function askModel(asker: Asker, asked: ModelQuestion): Promise<Answer> {
  const { view, question, signal, purpose } = asked
  const { models, clock, random } = asker
  const name = modelNameOf(models, view)
  const model = models.find(name)
  if (model === undefined) {
    const reason = `the director's model "${name}" is unknown or has no key`
    return { kind: 'undecided', rule: 'unavailable', reason, question, model: name, cost: 0 }
  }
  const ledger = decisionLedger(asker, model, asked)
  const told = await withTools(asker, asked)
  // Who asks and goes again must not spend what no budget counts.
  const onAbort = purpose === 'decide' ? 'cut_call' : 'end_call'
  const how = { ledger, random, clock, signal, onAbort } as const
  return await decidePaid({ view: told, question, model, ...how })
}

/** What asking would take, about: the request is counted, and the answer is a line. */
export async function estimateAsking(
  asker: Asker,
  asked: Pick<ModelQuestion, 'place' | 'view' | 'question'>,
): Promise<{ readonly model: string; readonly inputTokens: number; readonly cost: number }> {
  const name = modelNameOf(asker.models, asked.view)
  const told = await withTools(asker, asked)
  const { request } = buildDecisionRequest(told, asked.question, () => 0)
  const inputTokens = tokensIn(JSON.stringify(request))
  const { input, output } = asker.models.find(name)?.price ?? { input: 0, output: 0 }
  const cost = (inputTokens * input + ANSWER_TOKENS * output) / 1_000_000
  return { model: name, inputTokens, cost }
}

const ANSWER_TOKENS = 60

function modelNameOf(models: Models, { thread }: DirectorView): string {
  return thread.directorModel ?? models.defaultName
}

async function withTools(
  { toolNames }: Pick<Asker, 'toolNames'>,
  { place, view }: Pick<ModelQuestion, 'place' | 'view'>,
): Promise<DirectorView> {
  const toolsOf = await toolNames(place)
  return { ...view, bots: view.bots.map((bot) => ({ ...bot, tools: toolsOf(bot.id) })) }
}

function decisionLedger(
  { books, clock, newCallId }: Asker,
  model: Model,
  { place: { houseId, threadId, d }, purpose, signal }: ModelQuestion,
): DecisionLedger {
  return {
    async before({ asked }) {
      const callId = newCallId()
      const of = { houseId, threadId, decision: d, botId: undefined, model: model.id, purpose }
      const call = { ...of, callId, asked, most: mostCostOf(model, asked) }
      const isOpen = await openCall(books, call, { clock, signal })
      return isOpen ? { status: 'open', id: callId } : { status: 'budget_spent' }
    },
    after: (id, { usage, cost, answered, error }) =>
      books.settle(id, { usage, cost, answered, error }),
  }
}
