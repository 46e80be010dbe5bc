import { type ActorId, type Entry, type EntryOf, type Offset, toOffset } from '@arbe/sdk'
import { readAssistantMessage, textOf, toolCallsOf } from '../models/assistant-message.ts'
import type { AssistantBlock, AssistantMessage, ModelMessage } from '../models/model.ts'
import { toResultMessage } from './loop-messages.ts'
import type { SettledText } from './settled-texts.ts'

/** What one turn of the bot stored, as a provider wants it back: every result directly behind its call. */
export interface TurnBlock {
  readonly decision: number
  /** Offset of its first entry. */
  readonly first: Offset
  readonly messages: readonly ModelMessage[]
}

export interface OwnHistory {
  readonly botId: ActorId
  readonly texts: ReadonlyMap<Offset, SettledText>
}

export function turnBlocks(entries: readonly Entry[], own: OwnHistory): readonly TurnBlock[] {
  const replies = repliesByAssistant(entries, own)
  return turnsOf(entries, own.botId).map(([decision, rounds]) => ({
    decision,
    first: toOffset(Math.min(...rounds.map((round) => round.assistant.seq))),
    messages: rounds.flatMap((round) => {
      const message = readAssistantMessage(round.assistant.body.message)
      if (message === undefined) return []
      const isFinal = round === rounds.at(-1)
      const said = isFinal ? replies.get(round.assistant.seq) : undefined
      return roundMessages(withFinalText(message, said), round.results)
    }),
  }))
}

interface Round {
  readonly assistant: EntryOf<'pi.assistant'>
  readonly results: ReadonlyMap<number, EntryOf<'pi.tool_result'>>
}

function turnsOf(
  entries: readonly Entry[],
  botId: ActorId,
): readonly (readonly [number, readonly Round[]])[] {
  const own = entries.filter((entry) => entry.authorId === botId)
  const results = own.filter((entry) => entry.kind === 'pi.tool_result')
  const rounds = own
    .filter((entry) => entry.kind === 'pi.assistant')
    .map((assistant) => ({ assistant, results: resultsOf(assistant, results) }))
  return [...Map.groupBy(rounds, (round) => round.assistant.body.decision)]
}

function resultsOf(
  { body }: EntryOf<'pi.assistant'>,
  results: readonly EntryOf<'pi.tool_result'>[],
): Round['results'] {
  return new Map(
    results
      .filter((one) => one.body.decision === body.decision && one.body.round === body.round)
      .map((one) => [one.body.index, one]),
  )
}

/** The reply that each final message became, as the room reads it now; a deleted one is not here. */
function repliesByAssistant(
  entries: readonly Entry[],
  { botId, texts }: OwnHistory,
): ReadonlyMap<Offset, string> {
  const replies = new Map<Offset, string>()
  for (const entry of entries) {
    if (entry.kind !== 'chat' || entry.authorId !== botId) continue
    const now = texts.get(entry.seq)
    if (entry.body.assistant !== undefined && now?.kind === 'kept') {
      replies.set(entry.body.assistant, now.text)
    }
  }
  return replies
}

/** A final message says what the room got: the reply as it was cleaned or edited, nothing where there is none. */
function withFinalText(message: AssistantMessage, said: string | undefined): AssistantMessage {
  if (toolCallsOf(message).length > 0) return message
  if (said === undefined) return { ...message, content: [] }
  if (said === textOf(message)) return message
  // Signed thinking belongs to the text it was signed with.
  return { ...message, content: [{ type: 'text', text: said }] }
}

function roundMessages(
  message: AssistantMessage,
  results: Round['results'],
): readonly ModelMessage[] {
  // The model library drops such a message by itself, but not its results.
  if (message.stopReason === 'error' || message.stopReason === 'aborted') return []
  const calls = toolCallsOf(message)
  const broken = new Set(calls.filter((call) => neverCompleted(message, call)))
  const content = message.content.filter((block) => isReplayed(block, broken))
  // Words beside calls that are gone were never the reply, and would stand before the next round's.
  if (content.length === 0 || (calls.length > 0 && broken.size === calls.length)) return []
  const kept = content.length === message.content.length ? message : { ...message, content }
  // Calls run one after the other: only the first one without a result can have begun.
  const begun = calls.findIndex((_, index) => !results.has(index))
  const answers = calls.flatMap((call, index) => {
    if (broken.has(call)) return []
    const result = results.get(index)?.body ?? (index === begun ? INTERRUPTED : NOT_RUN)
    return [toResultMessage(call, result, kept.timestamp)]
  })
  return [kept, ...answers]
}

type Call = ReturnType<typeof toolCallsOf>[number]

const INTERRUPTED = { text: 'interrupted, outcome unknown', isError: true }
const NOT_RUN = { text: 'not run: the turn was interrupted before this call', isError: true }

function neverCompleted(message: AssistantMessage, call: Call): boolean {
  const cut = message.stopReason === 'length' && call === message.content.at(-1)
  return cut || call.argumentsError !== undefined
}

function isReplayed(block: AssistantBlock, broken: ReadonlySet<AssistantBlock>): boolean {
  return !broken.has(block) && (block.type !== 'text' || block.text.trim() !== '')
}
