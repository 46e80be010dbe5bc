import { headOfText } from '@arbe/sdk/cut-text'
import { Refused } from '../access/refused.ts'
import type { ToolCallPlace, ToolEffect, ToolOutcome, TurnWrites } from '../threads/turn.ts'
import { boundText, storable } from './bound-text.ts'
import type { Clock } from './clock.ts'
import type { AgentTool } from './tool.ts'
import type { CallDone, LoopCall } from './tool-loop.ts'

export interface ToolRunner {
  /** The offered ones, by name. */
  readonly tools: ReadonlyMap<string, AgentTool>
  readonly writes: TurnWrites
  readonly clock: Clock
}

export const MAX_RESULT_BYTES = 64 * 1024

/** Runs one call and stores its result. A tool's failure is a result; only a write that fails rejects. */
export async function runToolCall(
  runner: ToolRunner,
  loopCall: LoopCall,
  signal: AbortSignal,
): Promise<CallDone> {
  const { call, round, index } = loopCall
  const place: ToolCallPlace = { round, index, callId: call.id, tool: call.name }
  const tool = runner.tools.get(call.name)
  const wrong = refuse(runner, loopCall)
  if (wrong !== undefined || tool === undefined) {
    const stored = await runner.writes.toolResult(place, wrong ?? unknownTool(runner, call.name))
    return { ...stored, bad: stored.error !== 'not_run' }
  }
  const outcome = await execute(runner, { tool, place, args: call.arguments }, signal)
  const bad = outcome.error === 'invalid_arguments'
  if (tool.effect === 'idempotent' || tool.endsTurn === undefined || outcome.isError) {
    return { ...outcome, bad }
  }
  return { ...outcome, bad, passed: { reason: outcome.text } }
}

/** Answers the calls of a turn that is given up: the first may have run, the others never began. */
export async function storeAbandoned(
  writes: TurnWrites,
  open: readonly Pick<LoopCall, 'round' | 'index' | 'call'>[],
): Promise<void> {
  for (const [position, { round, index, call }] of open.entries()) {
    const place = { round, index, callId: call.id, tool: call.name }
    await writes.toolResult(place, position === 0 ? OUTCOME_UNKNOWN : NOT_RUN)
  }
}

const OUTCOME_UNKNOWN = failure(
  'outcome_unknown',
  'the turn was interrupted while this ran; it may or may not have taken effect',
)
const NOT_RUN = failure('not_run', 'the turn was interrupted before this call')

function refuse(runner: ToolRunner, { call, refusal }: LoopCall): ToolOutcome | undefined {
  if (refusal !== undefined) return failure('not_run', refusal)
  const tool = runner.tools.get(call.name)
  if (tool === undefined) return unknownTool(runner, call.name)
  if (call.argumentsError === undefined) return undefined
  const schema = JSON.stringify(tool.spec.parameters)
  const reason = headOfText(call.argumentsError, LONGEST_REASON)
  return failure('invalid_arguments', `${reason}; ${call.name} takes ${schema}`)
}

function unknownTool({ tools }: ToolRunner, name: string): ToolOutcome {
  const asked = JSON.stringify(headOfText(name, LONGEST_NAME))
  const offered = tools.size === 0 ? 'no tool is offered' : [...tools.keys()].join(', ')
  return failure('unknown_tool', `there is no tool ${asked}; offered: ${offered}`)
}

const LONGEST_REASON = 500
const LONGEST_NAME = 64

interface Execution {
  readonly tool: AgentTool
  readonly place: ToolCallPlace
  readonly args: unknown
}

async function execute(
  { writes, clock }: ToolRunner,
  { tool, place, args }: Execution,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const started = clock.now()
  const finish = (outcome: ToolOutcome): ToolOutcome => ({
    ...bounded(outcome),
    ms: clock.now() - started,
  })
  if (tool.effect !== 'idempotent') {
    return writes.toolResult(place, finish(await outcomeOf(() => tool.run({ args, signal }))))
  }
  const apply: ToolEffect = async (tx, effectKey, appended) => {
    const outcome = await outcomeOf(() => tool.apply(tx, { args, signal, effectKey, appended }))
    if (outcome.isError) throw new EffectFailed(finish(outcome))
    return finish(outcome)
  }
  try {
    return await writes.toolEffect(place, apply)
  } catch (error) {
    if (!(error instanceof EffectFailed)) throw error
    // The transaction is rolled back and its effect with it; what remains is to say so.
    return writes.toolResult(place, error.outcome)
  }
}

class EffectFailed extends Error {
  override readonly name = 'EffectFailed'
  readonly outcome: ToolOutcome
  constructor(outcome: ToolOutcome) {
    super(outcome.text)
    this.outcome = outcome
  }
}

/** The door of one tool: whatever it throws becomes a result that the model can read. */
async function outcomeOf(run: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refused) return failure(error.code, error.message)
    const reason = error instanceof Error ? error.message : String(error)
    return failure('tool_failed', reason)
  }
}

function bounded(outcome: ToolOutcome): ToolOutcome {
  const text = outcome.text === '' ? '(no output)' : storable(outcome.text)
  return { ...outcome, text: boundText(text, MAX_RESULT_BYTES) }
}

function failure(error: string, detail: string): ToolOutcome {
  return { text: storable(`${error}: ${detail}`), isError: true, error }
}
