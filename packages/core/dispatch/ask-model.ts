import type { Model, ModelMessage, ModelReply, ModelRequest } from '../models/model.ts'
import type { Clock } from './clock.ts'
import { weakerReplays } from './replay-ladder.ts'
import { startWatchdog } from './watchdog.ts'

export interface AskModel {
  readonly model: Model
  readonly clock: Clock
  readonly signal: AbortSignal
  /** A stream that stays silent for this long is given up: the library's own time limit does not bound it. */
  readonly idleMs: number
  readonly retries: number
  readonly onText: (delta: string) => void
  /** Text shown since the last answer is void: the request begins again. */
  readonly onRestart: () => void
}

export interface Asked {
  readonly reply: ModelReply
  /** In the form that was asked last: what a provider has refused once it refuses again. */
  readonly messages: readonly ModelMessage[]
  /** The provider takes its own history back in no form. */
  readonly isHistoryRefused: boolean
}

/** The one owner of retries. Nothing of the round may be stored yet. */
export async function askModel(ask: AskModel, request: ModelRequest): Promise<Asked> {
  let { messages } = request
  let reply = await askPatiently(ask, request)
  if (!refusesReplay(reply)) return { reply, messages, isHistoryRefused: false }
  const weaker = weakerReplays(messages)
  for (const form of weaker) {
    ask.onRestart()
    messages = form
    reply = await askPatiently(ask, { ...request, messages })
    if (!refusesReplay(reply)) return { reply, messages, isHistoryRefused: false }
  }
  return { reply, messages, isHistoryRefused: weaker.length > 0 }
}

async function askPatiently(ask: AskModel, request: ModelRequest): Promise<ModelReply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askOnce(ask, request)
    if (reply.status !== 'failed' || !reply.retryable || attempt > ask.retries) return reply
    await ask.clock.sleep(waitBefore(attempt, reply.retryAfter), ask.signal)
    if (ask.signal.aborted) return { ...reply, status: 'aborted' }
    ask.onRestart()
  }
}

async function askOnce(ask: AskModel, request: ModelRequest): Promise<ModelReply> {
  const { circuit } = ask.model
  const refusal = circuit?.refusal()
  if (refusal !== undefined) return refusal
  const reply = await listen(ask, request)
  circuit?.heard(reply)
  return reply
}

async function listen(ask: AskModel, request: ModelRequest): Promise<ModelReply> {
  await using watchdog = startWatchdog(ask.clock, ask.idleMs)
  const reply = await ask.model.call(request, {
    signal: AbortSignal.any([ask.signal, watchdog.signal]),
    onEvent: () => watchdog.alive(),
    onText: ask.onText,
  })
  if (reply.status !== 'aborted' || ask.signal.aborted) return reply
  const error = `${ask.model.id} was silent for ${ask.idleMs / 1000} s`
  return { ...reply, status: 'failed', error, retryable: true, down: true }
}

const FIRST_WAIT_MS = 1_000
// A provider that asks for more is waited for no longer than this: the room is waiting too.
const LONGEST_WAIT_MS = 60_000

/** A provider may ask for more patience, not for less. */
function waitBefore(attempt: number, asked = 0): number {
  return Math.min(Math.max(asked, FIRST_WAIT_MS * 2 ** (attempt - 1)), LONGEST_WAIT_MS)
}

// Providers word it differently; all name what they refuse to take back.
function refusesReplay(reply: ModelReply): boolean {
  return (
    reply.status === 'failed' &&
    !reply.retryable &&
    /thinking|reasoning|signature|encrypted/i.test(reply.error)
  )
}
