import type { TurnResult } from '../threads/turn.ts'
import { boundText } from './bound-text.ts'
import { judgeReply } from './judge-reply.ts'
import type { Speakers } from './speaker-lines.ts'
import type { LoopResult } from './tool-loop.ts'

export type TurnOutcome = Pick<
  TurnResult,
  'status' | 'text' | 'assistant' | 'because' | 'partial' | 'error'
>

export interface TurnFacts {
  readonly speakers: Speakers
  readonly sideEffects: boolean
}

export function turnOutcome(result: LoopResult, facts: TurnFacts): TurnOutcome {
  switch (result.kind) {
    case 'answer':
      return answerOutcome(result, facts)
    case 'passed':
      return { status: 'passed', because: result.reason }
    case 'failed':
      return { status: 'failed', error: result.error, ...partialOf(result.partial) }
    case 'interrupted':
      return { status: 'interrupted', because: result.because, error: result.error }
    case 'cancelled':
      return { status: 'cancelled', because: result.because, ...partialOf(result.partial) }
  }
}

/** What a message may hold: a longer one would be refused when the turn is closed, again and again. */
const REPLY_BYTES = 64 * 1024

type Answer = Extract<LoopResult, { readonly kind: 'answer' }>

function answerOutcome({ text, assistant, bound }: Answer, facts: TurnFacts): TurnOutcome {
  const verdict = judgeReply({ text, ...facts })
  const because = bound ?? verdict.because
  const why = because === undefined ? {} : { because }
  switch (verdict.kind) {
    case 'say':
      return {
        status: bound === undefined ? 'replied' : 'limit',
        text: boundText(verdict.text, REPLY_BYTES),
        assistant,
        ...why,
      }
    case 'passed':
      return { status: 'passed', ...why }
    case 'silent':
      return { status: 'silent', ...why }
  }
}

function partialOf(partial: string): { readonly partial?: string } {
  return partial.trim() === '' ? {} : { partial }
}
