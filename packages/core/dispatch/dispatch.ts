import type { Entry } from '@arbe/sdk'
import { meteredModel } from '../models/ledger.ts'
import type { Model, ModelMessage } from '../models/model.ts'
import { LeaseLost, type TurnResult } from '../threads/turn.ts'
import { filterAgentTools } from './agent-tools.ts'
import type { BotTurn, Dispatcher } from './bot-turn.ts'
import { buildMessages } from './build-messages.ts'
import { BYTES_PER_TOKEN } from './message-size.ts'
import { rememberStored } from './remember-stored.ts'
import { hasSideEffects, type OpenCall, planResume, type ToolsByName } from './resume-turn.ts'
import { runToolCall, storeAbandoned } from './run-tool-call.ts'
import { holdTokens } from './silence.ts'
import { systemPrompt } from './system-prompt.ts'
import { LOOP_LIMITS, type LoopResult, runToolLoop, type ToolLoop } from './tool-loop.ts'
import { type TurnOutcome, turnOutcome } from './turn-outcome.ts'

/** Runs one bot's turn, or what an earlier attempt left of it. Throws LeaseLost when the turn is no longer ours. */
export async function runBotTurn(dispatcher: Dispatcher, given: BotTurn): Promise<TurnResult> {
  const { books, clock, models } = dispatcher
  const turn = rememberStored(given)
  const started = clock.now()
  const outcome = await goOn(dispatcher, turn)
  if (turn.signal.reason instanceof LeaseLost) throw turn.signal.reason
  const rounds = roundsOf(await turn.stored())
  const of = { threadId: turn.threadId, decision: turn.decision.d, purpose: 'turn' } as const
  const { usage, cost } = await books.spendOfDecision(of)
  const model = models.find(turn.bot.model)?.id ?? turn.bot.model
  return { ...outcome, rounds, usage, cost, model, ms: clock.now() - started }
}

async function goOn(dispatcher: Dispatcher, turn: BotTurn): Promise<TurnOutcome> {
  const tools = offeredTools(dispatcher, turn)
  const stored = await turn.stored()
  const plan = planResume(stored, { tools, attempts: turn.attempts })
  switch (plan.kind) {
    case 'begin':
      return finish(turn, tools, await work(dispatcher, turn, { tools, open: [] }))
    case 'go_on':
      return finish(turn, tools, await work(dispatcher, turn, { tools, open: plan.open }))
    case 'answered':
      return finish(turn, tools, { ...plan, kind: 'answer' })
    case 'passed':
      return finish(turn, tools, plan)
    case 'give_up':
      await storeAbandoned(turn.writes, plan.open)
      return { status: 'interrupted', because: plan.because }
  }
}

function offeredTools({ db, buildTools }: Dispatcher, turn: BotTurn): ToolsByName {
  const { houseId, threadId, decision } = turn
  const tools = buildTools({
    houseId,
    threadId,
    agentId: turn.bot.id,
    decision: decision.d,
    hops: decision.hops,
    db,
  })
  const offered = filterAgentTools(tools, turn.toolRules)
  return new Map(offered.map((tool) => [tool.spec.name, tool]))
}

async function finish(turn: BotTurn, tools: ToolsByName, result: LoopResult): Promise<TurnOutcome> {
  const others = [...turn.roster].filter(([id]) => id !== turn.bot.id)
  const speakers = {
    own: [turn.bot.name, turn.bot.handle],
    others: others.flatMap(([, { name, handle }]) => [name, handle]).filter((name) => name !== ''),
  }
  const sideEffects = hasSideEffects(await turn.stored(), tools)
  return turnOutcome(result, { speakers, sideEffects })
}

interface Work {
  readonly tools: ToolsByName
  /** Calls that an earlier attempt left without a result. */
  readonly open: readonly OpenCall[]
}

async function work(
  dispatcher: Dispatcher,
  turn: BotTurn,
  { tools, open }: Work,
): Promise<LoopResult> {
  const model = dispatcher.models.find(turn.bot.model)
  if (model === undefined) {
    const error = `the model "${turn.bot.model}" is unknown or has no key`
    return { kind: 'failed', error, partial: '' }
  }
  const runCall: ToolLoop['runCall'] = async (call, signal) => {
    if (!turn.isOurs()) turn.signal.throwIfAborted()
    return runToolCall({ tools, writes: turn.writes, clock: dispatcher.clock }, call, signal)
  }
  for (const call of open) {
    const done = await runCall({ ...call, refusal: undefined }, turn.signal)
    if (done.passed !== undefined) return { kind: 'passed', ...done.passed }
  }
  for (let share = 1; ; share /= 2) {
    const stored = await turn.stored()
    const result = await runToolLoop({
      ...requestOf(turn, { stored, budgetTokens: contextTokens(model) * share }),
      ...streamOf(turn),
      model: metered(dispatcher, turn, model),
      tools: [...tools.values()].map((tool) => tool.spec),
      limits: {
        ...LOOP_LIMITS,
        idleMs: dispatcher.idleMs,
        requestBytes: requestTokens(model) * share * BYTES_PER_TOKEN,
      },
      clock: dispatcher.clock,
      signal: turn.signal,
      begin: { rounds: roundsOf(stored), calls: callsOf(stored) },
      runCall,
      betweenRounds: async () => {
        const ended = await turn.betweenRounds()
        return ended === undefined ? undefined : { kind: 'cancelled', ...ended, partial: '' }
      },
    })
    // Tokens are estimated, so a request may be too large: with less of the thread it may be read.
    const tooLarge = result.kind === 'failed' && result.overflow === true
    if (!tooLarge || share < SMALLEST_SHARE) return result
  }
}

const SMALLEST_SHARE = 0.5

function requestOf(
  turn: BotTurn,
  { stored, budgetTokens }: { readonly stored: readonly Entry[]; readonly budgetTokens: number },
): { systemPrompt: string; messages: readonly ModelMessage[]; sessionId: string } {
  const { bot, decision, entries, after, roster, notes } = turn
  const messages = buildMessages([...entries, ...stored], {
    botId: bot.id,
    decision,
    names: new Map([...roster].map(([id, { name }]) => [id, name])),
    handles: new Map([...roster].map(([id, { handle }]) => [id, handle])),
    after,
    budgetTokens,
  })
  const handover = entries.some(
    (entry) => entry.kind === 'chat' && entry.body.handover !== undefined && isNew(entry, turn),
  )
  return {
    systemPrompt: systemPrompt(bot, { handover, notes }),
    messages,
    sessionId: `${turn.threadId}:${bot.id}`,
  }
}

function isNew({ seq }: Entry, { decision }: BotTurn): boolean {
  const owed = decision.requests.some((request) => request.entry === seq)
  return owed || (seq > decision.from && seq <= decision.to)
}

/** What the room sees while the model writes; half a silence token is never shown. */
function streamOf(turn: BotTurn): Pick<ToolLoop, 'onText' | 'onRestart' | 'storeAssistant'> {
  const held = holdTokens(turn.onText)
  return {
    onText: held.push,
    onRestart: () => {
      held.restart()
      turn.onRestart()
    },
    storeAssistant: async (draft) => {
      const offset = await turn.writes.assistant(draft)
      held.restart()
      return offset
    },
  }
}

function metered(dispatcher: Dispatcher, turn: BotTurn, model: Model): Model {
  const { books, clock, newCallId } = dispatcher
  const { houseId, threadId, bot, decision } = turn
  const call = { houseId, threadId, decision: decision.d, botId: bot.id, purpose: 'turn' } as const
  return meteredModel(model, { books, clock, newCallId, call })
}

// A long thread costs no more than this a request, however large the model's window is.
const MOST_CONTEXT_TOKENS = 32_000
// The turn's own tool results come on top.
const MOST_REQUEST_TOKENS = 160_000

function contextTokens({ contextWindow }: Model): number {
  return Math.min(MOST_CONTEXT_TOKENS, Math.floor(contextWindow / 2))
}

function requestTokens({ contextWindow }: Model): number {
  return Math.min(MOST_REQUEST_TOKENS, Math.floor(contextWindow * 0.6))
}

function roundsOf(stored: readonly Entry[]): number {
  return stored.filter((entry) => entry.kind === 'pi.assistant').length
}

function callsOf(stored: readonly Entry[]): number {
  return stored.filter((entry) => entry.kind === 'pi.tool_result').length
}
