import type { Offset } from '@arbe/sdk'
import { textOf, toolCallsOf, type ToolCallBlock } from '../models/assistant-message.ts'
import type {
  AssistantMessage,
  Model,
  ModelMessage,
  ModelReply,
  ToolSpec,
} from '../models/model.ts'
import { askModel } from './ask-model.ts'
import type { Clock } from './clock.ts'
import { distinctCallIds } from './distinct-call-ids.ts'
import { fitResults } from './fit-results.ts'
import { askLastWord, toResultMessage, withoutCalls } from './loop-messages.ts'
import { startWatchdog } from './watchdog.ts'

/** Runs a model until it stops calling tools. It knows the model's port and three callbacks, no thread and no stream. */
export async function runToolLoop(loop: ToolLoop): Promise<LoopResult> {
  const { clock, limits } = loop
  // The last request begins when time is up, so the hard end stands behind it.
  await using hardEnd = startWatchdog(clock, limits.turnMs + limits.lastRequestMs)
  await using timeIsUp = startWatchdog(clock, limits.turnMs)
  const run: Run = {
    ...loop.begin,
    messages: loop.messages,
    badRounds: 0,
    timeIsUp: timeIsUp.signal,
  }
  for (;;) {
    const ended = await loop.betweenRounds()
    if (ended !== undefined) return ended
    const bound = boundReached(loop, run)
    const step =
      bound === undefined
        ? await workRound(loop, run, hardEnd.signal)
        : await lastRound(loop, run, { bound, hardEnd: hardEnd.signal })
    if (step.kind !== 'next') return step
    run.rounds += 1
  }
}

export interface ToolLoop {
  readonly model: Model
  readonly systemPrompt: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  readonly sessionId: string
  readonly limits: LoopLimits
  readonly clock: Clock
  /** Stop, or a lease that is gone. */
  readonly signal: AbortSignal
  /** What an earlier run of the same turn has stored already. */
  readonly begin: { readonly rounds: number; readonly calls: number }
  /** Returns when the message is durable: its calls run only then. */
  storeAssistant(draft: {
    readonly round: number
    readonly message: AssistantMessage
    readonly ms: number
  }): Promise<Offset>
  /** Runs the call and stores its result; a tool's failure is a result too, so a rejection ends the turn. */
  runCall(call: LoopCall, signal: AbortSignal): Promise<CallDone>
  /**
   * Asked before each request, and after it, before anything of the answer is stored or run. May end the turn there: somebody pressed
   * Stop, the speaker left, what it answers was deleted.
   */
  betweenRounds(): Promise<LoopResult | undefined>
  readonly onText: (delta: string) => void
  readonly onRestart: () => void
}

export interface LoopLimits {
  readonly rounds: number
  readonly calls: number
  readonly turnMs: number
  readonly lastRequestMs: number
  readonly idleMs: number
  readonly retries: number
  readonly badRounds: number
  /** Of a request's messages. */
  readonly requestBytes: number
}

export const LOOP_LIMITS = {
  rounds: 24,
  calls: 64,
  turnMs: 15 * 60_000,
  lastRequestMs: 60_000,
  idleMs: 60_000,
  retries: 3,
  badRounds: 3,
} as const satisfies Omit<LoopLimits, 'requestBytes'>

/** A call and its place in the turn; a refused one gets the refusal as its result and does not run. */
export interface LoopCall {
  readonly round: number
  readonly index: number
  readonly call: ToolCallBlock
  readonly refusal: string | undefined
}

export interface CallDone {
  readonly text: string
  readonly isError: boolean
  /** The call itself was wrong: no such tool, or arguments that do not fit. */
  readonly bad: boolean
  /** Set when the tool ends the turn. */
  readonly passed?: { readonly reason: string }
}

export type LoopResult =
  | {
      readonly kind: 'answer'
      readonly text: string
      readonly assistant: Offset
      /** The bound that was reached, when the answer is a last word. */
      readonly bound?: string
    }
  | { readonly kind: 'passed'; readonly reason: string }
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly partial: string
      /** The request was larger than the model reads. */
      readonly overflow?: boolean
    }
  | { readonly kind: 'cancelled'; readonly because: string; readonly partial: string }
  /** What the turn has done cannot be told to its model any more. */
  | { readonly kind: 'interrupted'; readonly because: 'history_refused'; readonly error: string }

interface Run {
  rounds: number
  calls: number
  messages: readonly ModelMessage[]
  badRounds: number
  readonly timeIsUp: AbortSignal
}

type Step = LoopResult | { readonly kind: 'next' }
type OkReply = Extract<ModelReply, { readonly status: 'ok' }>

function boundReached({ limits }: ToolLoop, run: Run): string | undefined {
  if (run.rounds >= limits.rounds) return `${limits.rounds} rounds`
  if (run.calls >= limits.calls) return `${limits.calls} tool calls`
  return run.timeIsUp.aborted ? `${limits.turnMs / 60_000} minutes` : undefined
}

async function workRound(loop: ToolLoop, run: Run, hardEnd: AbortSignal): Promise<Step> {
  const started = loop.clock.now()
  const asked = await ask(loop, run, { tools: loop.tools, hardEnd })
  if (asked.kind !== 'message') return asked
  const { message } = asked
  const calls = toolCallsOf(message)
  if (message.stopReason === 'length' && calls.length === 0) return cutOff(loop, message)
  const ms = loop.clock.now() - started
  const assistant = await loop.storeAssistant({ round: run.rounds, message, ms })
  if (calls.length === 0) return { kind: 'answer', text: textOf(message), assistant }
  run.messages = [...run.messages, message]
  return runCalls(loop, run, { calls, cut: message.stopReason === 'length' })
}

/** Without tools, so that the turn ends in words. Calls that come all the same are neither run nor stored. */
async function lastRound(
  loop: ToolLoop,
  run: Run,
  { bound, hardEnd }: { readonly bound: string; readonly hardEnd: AbortSignal },
): Promise<Step> {
  const started = loop.clock.now()
  run.messages = [...run.messages, askLastWord(bound, started)]
  const asked = await ask(loop, run, { tools: [], hardEnd })
  if (asked.kind !== 'message') return asked
  if (asked.message.stopReason === 'length') return cutOff(loop, asked.message)
  const message = withoutCalls(asked.message, bound)
  const ms = loop.clock.now() - started
  const assistant = await loop.storeAssistant({ round: run.rounds, message, ms })
  return { kind: 'answer', text: textOf(message), assistant, bound }
}

async function ask(
  loop: ToolLoop,
  run: Run,
  { tools, hardEnd }: { readonly tools: readonly ToolSpec[]; readonly hardEnd: AbortSignal },
): Promise<LoopResult | { readonly kind: 'message'; readonly message: AssistantMessage }> {
  const { model, clock, limits, systemPrompt, sessionId, onText, onRestart } = loop
  const signal = AbortSignal.any([loop.signal, hardEnd])
  const { idleMs, retries } = limits
  const fitted = distinctCallIds(fitResults(run.messages, limits.requestBytes))
  const { reply, messages, isHistoryRefused } = await askModel(
    { model, clock, signal, idleMs, retries, onText, onRestart },
    { systemPrompt, messages: fitted, tools, sessionId },
  )
  run.messages = messages
  if (reply.status !== 'ok') return notAnswered(loop, reply, isHistoryRefused)
  return (await loop.betweenRounds()) ?? { kind: 'message', message: reply.message }
}

function notAnswered(
  loop: ToolLoop,
  reply: Exclude<ModelReply, OkReply>,
  isHistoryRefused: boolean,
): LoopResult {
  const { partial } = reply
  if (loop.signal.aborted) return { kind: 'cancelled', because: 'stopped', partial }
  if (reply.status === 'failed') {
    const { error, overflow = false } = reply
    if (isHistoryRefused) return { kind: 'interrupted', because: 'history_refused', error }
    return { kind: 'failed', error, partial, overflow }
  }
  return { kind: 'failed', error: 'the turn took too long', partial }
}

function cutOff(loop: ToolLoop, message: AssistantMessage): LoopResult {
  const error = `the answer of ${loop.model.id} was cut at its output limit`
  return { kind: 'failed', error, partial: textOf(message) }
}

/** One after the other: a later call may need what an earlier one did, and a crash loses no finished result. */
async function runCalls(
  loop: ToolLoop,
  run: Run,
  { calls, cut }: { readonly calls: readonly ToolCallBlock[]; readonly cut: boolean },
): Promise<Step> {
  const signal = AbortSignal.any([loop.signal, run.timeIsUp])
  const done: CallDone[] = []
  for (const [index, call] of calls.entries()) {
    if (loop.signal.aborted) return { kind: 'cancelled', because: 'stopped', partial: '' }
    const refusal = refusalOf(loop, run, {
      cut,
      ended: done.some((one) => one.passed !== undefined),
    })
    const one = await loop.runCall({ round: run.rounds, index, call, refusal }, signal)
    done.push(one)
    run.calls += 1
    run.messages = [...run.messages, toResultMessage(call, one, loop.clock.now())]
  }
  return afterCalls(loop, run, { done, cut })
}

function refusalOf(
  { limits }: ToolLoop,
  run: Run,
  { cut, ended }: { readonly cut: boolean; readonly ended: boolean },
): string | undefined {
  if (ended) return 'the turn has ended before this call'
  if (cut) return 'the reply was cut at its output limit, so nothing of it was run'
  return run.calls >= limits.calls ? `the turn has had its ${limits.calls} tool calls` : undefined
}

function afterCalls(
  { limits }: ToolLoop,
  run: Run,
  { done, cut }: { readonly done: readonly CallDone[]; readonly cut: boolean },
): Step {
  const passed = done.find((one) => one.passed !== undefined)?.passed
  if (passed !== undefined) return { kind: 'passed', reason: passed.reason }
  run.badRounds = cut || done.every((one) => one.bad) ? run.badRounds + 1 : 0
  if (run.badRounds < limits.badRounds) return { kind: 'next' }
  const error = `no call could be run ${run.badRounds} times in a row: ${done.at(-1)?.text ?? ''}`
  return { kind: 'failed', error, partial: '' }
}
