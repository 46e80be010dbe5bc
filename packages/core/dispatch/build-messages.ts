import type { ActorId, DecisionBody, Entry, EntryOf, Offset } from '@arbe/sdk'
import { renameMentions } from '@arbe/sdk/mentions'
import type { ModelMessage } from '../models/model.ts'
import { type BlockItem, type ContextItem, fitContext, type PartItem } from './fit-context.ts'
import { fitResults } from './fit-results.ts'
import { joinRoles } from './join-roles.ts'
import { BYTES_PER_TOKEN } from './message-size.ts'
import { noteLine } from './quote-entry.ts'
import { type SettledText, settledTexts } from './settled-texts.ts'
import { turnBlocks } from './turn-blocks.ts'

export interface BuildMessages {
  readonly botId: ActorId
  readonly decision: Pick<DecisionBody, 'd' | 'from' | 'to' | 'seen' | 'requests'>
  /** Display names of people, bots and webhooks; one that is missing is shown by its id. */
  readonly names: ReadonlyMap<ActorId, string>
  /** Present handles of the thread's members: a message is read as calling them so, whatever they were called when it was said. */
  readonly handles: ReadonlyMap<ActorId, string>
  /** The entries hold everything readable behind this offset; 0 when nothing was left out. */
  readonly after: number
  readonly budgetTokens: number
}

/** The thread, oldest first, as one bot's provider may read it: own turns as blocks, everybody else in the user role. */
export function buildMessages(
  entries: readonly Entry[],
  view: BuildMessages,
): readonly ModelMessage[] {
  const { decision, budgetTokens, after } = view
  const readable = entries.filter(
    (entry) => entry.seq <= decision.seen || entry.causedBy === decision.d,
  )
  const maxBytes = budgetTokens * BYTES_PER_TOKEN
  const reading = { view, texts: settledTexts(readable) }
  // The sort is stable: a block stands behind the parts at its place, and turns keep their order.
  const items = [
    ...otherItems(readable, reading),
    ...ownBlocks(readable, { ...reading, maxBytes }),
  ].toSorted((a, b) => a.at - b.at)
  return joinRoles(fitContext(items, { maxBytes, after }), owedAnswers(view))
}

interface Reading {
  readonly view: BuildMessages
  readonly texts: ReadonlyMap<Offset, SettledText>
}

/**
 * A turn stands behind what it had read, and before everything it had not: what came while it ran, and all that this
 * decision covers.
 */
function ownBlocks(
  entries: readonly Entry[],
  { view, texts, maxBytes }: Reading & { readonly maxBytes: number },
): readonly BlockItem[] {
  const { botId, decision } = view
  const seen = seenByDecision(entries)
  return turnBlocks(entries, { botId, texts }).map((block) => {
    const pinned = block.decision === decision.d
    const read = Math.min(seen.get(block.decision) ?? block.first - 1, decision.from)
    const at = pinned ? Number.POSITIVE_INFINITY : read
    return { kind: 'block', at, pinned, messages: fitResults(block.messages, maxBytes / 2) }
  })
}

function seenByDecision(entries: readonly Entry[]): ReadonlyMap<number, number> {
  const decisions = entries.filter((entry) => entry.kind === 'signal.thread_director.decision')
  return new Map(decisions.map(({ body }) => [body.d, body.seen]))
}

/** Everything said to this bot: no signal, no work of others, none of its own words that a turn of its tells. */
function otherItems(entries: readonly Entry[], reading: Reading): readonly ContextItem[] {
  const read = new Set(entries.map(({ seq }) => seq))
  return entries.flatMap((entry) => {
    if (entry.kind === 'chat') return chatItem(entry, { ...reading, read })
    const note = noteOf(entry, reading.view)
    return note === undefined ? [] : [toPart(entry, note, reading.view)]
  })
}

function noteOf(entry: Entry, { botId, names }: BuildMessages): string | undefined {
  const from = names.get(entry.authorId) ?? entry.authorId
  if (entry.kind === 'thread.continue') return noteLine({ from, note: 'asks you to go on' })
  const asked = entry.kind === 'thread.ask' && entry.body.bot === botId
  return asked ? noteLine({ from, note: 'asks you to answer the above' }) : undefined
}

function chatItem(
  entry: EntryOf<'chat'>,
  { view, texts, read }: Reading & { readonly read: ReadonlySet<Offset> },
): readonly ContextItem[] {
  const now = texts.get(entry.seq)
  if (now?.kind !== 'kept') return []
  const text = now.text.trim() === '' ? '(no text)' : now.text
  if (entry.authorId !== view.botId) {
    const name = view.names.get(entry.authorId) ?? entry.authorId
    const said = renameMentions(text, now.names, (id) => view.handles.get(id))
    return [toPart(entry, { entry, name, text: said, edited: now.edited }, view)]
  }
  if (entry.body.assistant !== undefined && read.has(entry.body.assistant)) return []
  const at = Math.min(entry.seq - 1, view.decision.from)
  return [{ kind: 'block', at, pinned: false, messages: [ownWords(entry, text)] }]
}

function ownWords({ createdAt }: Entry, text: string): ModelMessage {
  const timestamp = Date.parse(createdAt)
  return { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp }
}

function toPart(entry: Entry, content: PartItem['content'], view: BuildMessages): PartItem {
  const { from, to } = view.decision
  const pinned = (entry.seq > from && entry.seq <= to) || owedAnswers(view).includes(entry.seq)
  return { kind: 'part', at: entry.seq, pinned, content, timestamp: Date.parse(entry.createdAt) }
}

/** Entries whose request this turn serves. */
function owedAnswers({ botId, decision }: BuildMessages): readonly Offset[] {
  return decision.requests
    .filter((request) => request.bot === botId && request.entry <= decision.to)
    .map((request) => request.entry)
}
