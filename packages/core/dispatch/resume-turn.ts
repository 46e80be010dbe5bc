import type { Entry, EntryOf, Offset } from '@arbe/sdk'
import {
  readAssistantMessage,
  textOf,
  toolCallsOf,
  type ToolCallBlock,
} from '../models/assistant-message.ts'
import type { AgentTool } from './tool.ts'

/** How a turn goes on, given what an earlier attempt of it has stored. */
export type Resume =
  | { readonly kind: 'begin' }
  /** Runs the open calls, if any, then asks the model. */
  | { readonly kind: 'go_on'; readonly open: readonly OpenCall[] }
  /** The last round called nothing: its text is the reply. */
  | { readonly kind: 'answered'; readonly text: string; readonly assistant: Offset }
  | { readonly kind: 'passed'; readonly reason: string }
  | {
      readonly kind: 'give_up'
      readonly because: 'outcome_unknown' | 'attempts' | 'unreadable'
      readonly open: readonly OpenCall[]
    }

type StoredRound = EntryOf<'pi.assistant'>

export interface OpenCall {
  readonly round: number
  readonly index: number
  readonly call: ToolCallBlock
}

const MOST_ATTEMPTS = 3

export function planResume(
  stored: readonly Entry[],
  { tools, attempts }: { readonly tools: ToolsByName; readonly attempts: number },
): Resume {
  const round = lastRound(stored)
  const isTriedOut = attempts > MOST_ATTEMPTS
  if (round === undefined) {
    // Whatever ended it three times before its first round, each try was paid for.
    return isTriedOut ? { kind: 'give_up', because: 'attempts', open: [] } : { kind: 'begin' }
  }
  const message = readAssistantMessage(round.body.message)
  if (message === undefined) return { kind: 'give_up', because: 'unreadable', open: [] }
  const calls = toolCallsOf(message)
  if (calls.length === 0) {
    return { kind: 'answered', text: textOf(message), assistant: round.seq }
  }
  const results = resultsOf(stored, round)
  const pass = results.find(({ body }) => !body.isError && endsTurn(tools, body.tool))
  if (pass !== undefined) return { kind: 'passed', reason: pass.body.text }
  const answered = new Set(results.map(({ body }) => body.index))
  const open = calls
    .map((call, index) => ({ round: round.body.round, index, call }))
    .filter(({ index }) => !answered.has(index))
  if (isTriedOut) return { kind: 'give_up', because: 'attempts', open }
  if (mayHaveTakenEffect(open, tools)) return { kind: 'give_up', because: 'outcome_unknown', open }
  return { kind: 'go_on', open }
}

/** True when a stored call has changed something. */
export function hasSideEffects(stored: readonly Entry[], tools: ToolsByName): boolean {
  return stored.some(
    (entry) =>
      entry.kind === 'pi.tool_result' &&
      !entry.body.isError &&
      (tools.get(entry.body.tool)?.effect ?? 'none') !== 'none',
  )
}

export type ToolsByName = ReadonlyMap<string, AgentTool>

function lastRound(stored: readonly Entry[]): StoredRound | undefined {
  return stored
    .filter((entry) => entry.kind === 'pi.assistant')
    .toSorted((a, b) => a.body.round - b.body.round)
    .at(-1)
}

function resultsOf(
  stored: readonly Entry[],
  { body }: StoredRound,
): readonly EntryOf<'pi.tool_result'>[] {
  return stored
    .filter((entry) => entry.kind === 'pi.tool_result')
    .filter((entry) => entry.body.round === body.round)
}

function endsTurn(tools: ToolsByName, name: string): boolean {
  const tool = tools.get(name)
  return tool !== undefined && tool.effect !== 'idempotent' && tool.endsTurn !== undefined
}

/** Calls run one after the other, each stored before the next: only the first open one can have begun. */
function mayHaveTakenEffect(open: readonly OpenCall[], tools: ToolsByName): boolean {
  const begun = open[0]
  return begun !== undefined && tools.get(begun.call.name)?.effect === 'once'
}
