import type { BotRequest, DecisionBody, Entry, EntryOf, OutcomeBody } from '@arbe/sdk'
import { foldDecisions } from './fold-decisions.ts'
import { joinNotices } from './join-notices.ts'
import { joinTurns, type Step } from './join-turns.ts'
import {
  type DecisionItem,
  type MessageItem,
  type Named,
  NOBODY_NAMED,
  type RoundPart,
  type ThreadItem,
} from './thread-item.ts'
import { callsOf, placeKey } from './tool-call-view.ts'

export interface ThreadView {
  readonly items: readonly ThreadItem[]
  readonly messages: ReadonlyMap<number, MessageItem>
  /** What the turn of each decision cost, in US dollars. */
  readonly costs: ReadonlyMap<number, number>
  /** The last decision, whose limits and requests say what may happen next. */
  readonly last: DecisionItem | undefined
  /** Bots that are owed a turn and wait for it. */
  readonly waiting: readonly BotRequest[]
}

/**
 * What a person sees of a thread, from the loaded entries alone, in order. Pure: applying the feed's entries to an old page gives
 * what a fresh page gives.
 */
export function viewThread(entries: readonly Entry[]): ThreadView {
  const lookups = lookUp(entries)
  const steps = entries.flatMap((entry) => stepsOf(entry, lookups))
  const messages = steps.flatMap(({ part }) => (part.type === 'message' ? [part] : []))
  const last = steps.findLast(({ part }) => part.type === 'decision')?.part
  const lastDecision = last?.type === 'decision' ? last : undefined
  return {
    items: foldDecisions(joinNotices(joinTurns(steps))),
    messages: new Map(messages.map((message) => [message.seq, message])),
    costs: new Map([...lookups.outcomes].map(([d, { cost }]) => [d, cost])),
    last: lastDecision,
    waiting: lastDecision === undefined ? [] : waitingAfter(lastDecision),
  }
}

interface Lookups {
  readonly decisions: ReadonlyMap<number, DecisionBody>
  readonly outcomes: ReadonlyMap<number, OutcomeBody>
  readonly results: ReadonlyMap<string, EntryOf<'pi.tool_result'>>
  readonly edits: ReadonlyMap<number, EntryOf<'chat.edit'>>
  readonly deleted: ReadonlySet<number>
  readonly tooMuch: ReadonlySet<number>
}

function lookUp(entries: readonly Entry[]): Lookups {
  const decisions = new Map<number, DecisionBody>()
  const outcomes = new Map<number, OutcomeBody>()
  const results = new Map<string, EntryOf<'pi.tool_result'>>()
  const edits = new Map<number, EntryOf<'chat.edit'>>()
  const deleted = new Set<number>()
  const tooMuch = new Set<number>()
  for (const entry of entries) {
    if (entry.kind === 'signal.thread_director.decision') decisions.set(entry.body.d, entry.body)
    if (entry.kind === 'signal.thread_director.outcome') outcomes.set(entry.body.d, entry.body)
    if (entry.kind === 'pi.tool_result') results.set(placeKey(entry.body), entry)
    if (entry.kind === 'chat.edit') edits.set(entry.body.target, entry)
    if (entry.kind === 'chat.delete') deleted.add(entry.body.target)
    if (entry.kind === 'thread.feedback') tooMuch.add(entry.body.decision)
  }
  return { decisions, outcomes, results, edits, deleted, tooMuch }
}

function stepsOf(entry: Entry, lookups: Lookups): readonly Step[] {
  switch (entry.kind) {
    case 'chat':
      return [messageStep(entry, lookups)]
    case 'pi.assistant':
      return roundSteps(entry, lookups)
    case 'signal.thread_director.decision':
      return [{ part: decisionOf(entry, lookups) }]
    case 'signal.thread_director.outcome':
      return outcomeSteps(entry, lookups)
    case 'thread.ask':
    case 'thread.continue':
    case 'thread.stop':
    case 'thread.title':
    case 'thread.people':
    case 'thread.bots':
    case 'thread.mute':
    case 'thread.limits':
    case 'thread.banter':
    case 'thread.environment':
      return [{ part: { type: 'notice', seq: entry.seq, entries: [entry] } }]
    case 'chat.edit':
    case 'chat.delete':
    case 'thread.feedback':
    case 'pi.user':
    case 'pi.tool_result':
    case 'pi.terminal':
    case 'signal.thread.child_finished':
      return []
  }
}

function messageStep(entry: EntryOf<'chat'>, { edits, deleted }: Lookups): Step {
  const edit = edits.get(entry.seq)
  const said = edit?.body ?? entry.body
  const isDeleted = deleted.has(entry.seq)
  const decision = entry.causedBy ?? undefined
  const part: MessageItem = {
    type: 'message',
    seq: entry.seq,
    author: entry.authorId,
    authorKind: entry.authorKind,
    via: entry.body.via,
    text: isDeleted ? '' : said.text,
    named: namedIn(said),
    replyTo: entry.body.replyTo,
    isEdited: edit !== undefined,
    isDeleted,
    decision,
    at: entry.body.saidAt ?? entry.createdAt,
    isImported: entry.body.saidAt !== undefined,
  }
  if (decision === undefined || entry.authorKind !== 'bot') return { part }
  return { part, turn: { decision, bot: entry.authorId } }
}

function namedIn(said: EntryOf<'chat' | 'chat.edit'>['body']): Named {
  const { mentions, everyone, names } = said
  // A report asks the bot that delegated, and no name in it is a mention.
  const isReport = 'handover' in said && said.handover !== undefined
  return isReport ? NOBODY_NAMED : { mentions, everyone, names }
}

function roundSteps(
  entry: EntryOf<'pi.assistant'>,
  { results, outcomes }: Lookups,
): readonly Step[] {
  const { decision, message } = entry.body
  const calls = callsOf(entry, { results, outcome: outcomes.get(decision) })
  // The text of the last round is the message that the turn posts.
  if (calls.length === 0) return []
  const text = message.content
    .flatMap((block) => (block['type'] === 'text' ? [String(block['text'])] : []))
    .join('\n\n')
  const part: RoundPart = { type: 'round', seq: entry.seq, text, calls, at: entry.createdAt }
  return [{ part, turn: { decision, bot: entry.authorId } }]
}

function decisionOf(
  { seq, body }: EntryOf<'signal.thread_director.decision'>,
  { outcomes, tooMuch }: Lookups,
): DecisionItem {
  return {
    type: 'decision',
    seq,
    decision: body,
    outcome: outcomes.get(body.d),
    after: undefined,
    wasTooMuch: tooMuch.has(body.d),
  }
}

/** A reply speaks for itself, and whoever passed is named by the decision that follows. */
function outcomeSteps(
  { seq, body }: EntryOf<'signal.thread_director.outcome'>,
  { decisions }: Lookups,
): readonly Step[] {
  if (body.status === 'replied' || body.status === 'passed') return []
  const bot = decisions.get(body.d)?.speaker ?? undefined
  return [{ part: { type: 'outcome', seq, bot, outcome: body } }]
}

/** A decision that has ended has served its speaker's requests and voided those its outcome names. */
function waitingAfter({ decision, outcome }: DecisionItem): readonly BotRequest[] {
  const voided = new Set(outcome?.voided.map((request) => `${request.bot}:${request.entry}`))
  return decision.requests.filter((request) => {
    const isServed =
      request.bot === decision.speaker && request.entry <= decision.to && outcome !== undefined
    return !isServed && !voided.has(`${request.bot}:${request.entry}`)
  })
}
