import type { BotRequest, DecisionBody, Entry, EntryOf, OutcomeBody } from '@arbe/sdk'

export type CallState = 'running' | 'done' | 'failed' | 'unknown' | 'cancelled'

export interface ToolCallView {
  readonly key: string
  readonly tool: string
  readonly args: unknown
  readonly state: CallState
  readonly text: string
  readonly ms: number | undefined
}

export type ThreadItem =
  | {
      readonly type: 'message'
      readonly seq: number
      readonly author: string
      readonly authorKind: Entry['authorKind']
      readonly text: string
      readonly mentions: readonly string[]
      readonly everyone: boolean
      readonly replyTo: number | undefined
      readonly edited: boolean
      readonly deleted: boolean
      readonly handover: boolean
      /** The decision whose turn said it. */
      readonly decision: number | undefined
      readonly at: string
    }
  | {
      readonly type: 'decision'
      readonly seq: number
      readonly decision: DecisionBody
      readonly outcome: OutcomeBody | undefined
      readonly at: string
    }
  | {
      readonly type: 'tools'
      readonly seq: number
      readonly decision: number
      readonly bot: string
      readonly calls: readonly ToolCallView[]
    }
  | {
      readonly type: 'notice'
      readonly seq: number
      readonly entry: NoticeEntry
      readonly at: string
    }

type NoticeEntry = EntryOf<
  | 'thread.ask'
  | 'thread.continue'
  | 'thread.stop'
  | 'thread.title'
  | 'thread.people'
  | 'thread.bots'
  | 'thread.mute'
  | 'thread.limits'
>

export interface ThreadView {
  readonly items: readonly ThreadItem[]
  /** The last decision, whose limits and requests say what may happen next. */
  readonly lastDecision: DecisionBody | undefined
  /** Bots that are owed a turn and wait for it. */
  readonly waiting: readonly BotRequest[]
}

/**
 * What a person sees of a thread, from the loaded entries alone, in order. Pure: applying the feed's entries to an old page gives
 * what a fresh page gives.
 */
export function viewThread(entries: readonly Entry[]): ThreadView {
  const changes = changesOf(entries)
  const outcomes = new Map<number, OutcomeBody>()
  const results = new Map<string, EntryOf<'pi.tool_result'>>()
  for (const entry of entries) {
    if (entry.kind === 'signal.thread_director.outcome') outcomes.set(entry.body.d, entry.body)
    if (entry.kind === 'pi.tool_result') results.set(resultKey(entry.body), entry)
  }
  const items = entries.flatMap((entry) => itemsOf(entry, { changes, outcomes, results }))
  const decisions = items.flatMap((item) => (item.type === 'decision' ? [item] : []))
  const last = decisions.at(-1)
  return {
    items,
    lastDecision: last?.decision,
    waiting: last === undefined ? [] : waitingAfter(last),
  }
}

interface Lookups {
  readonly changes: Changes
  readonly outcomes: ReadonlyMap<number, OutcomeBody>
  readonly results: ReadonlyMap<string, EntryOf<'pi.tool_result'>>
}

function itemsOf(entry: Entry, lookups: Lookups): readonly ThreadItem[] {
  switch (entry.kind) {
    case 'chat':
      return [messageOf(entry, lookups.changes)]
    case 'pi.assistant':
      return toolsOf(entry, lookups)
    case 'signal.thread_director.decision':
      return [
        {
          type: 'decision',
          seq: entry.seq,
          decision: entry.body,
          outcome: lookups.outcomes.get(entry.body.d),
          at: entry.createdAt,
        },
      ]
    case 'thread.ask':
    case 'thread.continue':
    case 'thread.stop':
    case 'thread.title':
    case 'thread.people':
    case 'thread.bots':
    case 'thread.mute':
    case 'thread.limits':
      return [{ type: 'notice', seq: entry.seq, entry, at: entry.createdAt }]
    case 'chat.edit':
    case 'chat.delete':
    case 'thread.feedback':
    case 'pi.user':
    case 'pi.tool_result':
    case 'pi.terminal':
    case 'signal.thread_director.outcome':
    case 'signal.thread.child_finished':
      return []
  }
}

interface Changes {
  readonly edits: ReadonlyMap<number, EntryOf<'chat.edit'>>
  readonly deleted: ReadonlySet<number>
}

function changesOf(entries: readonly Entry[]): Changes {
  const edits = new Map<number, EntryOf<'chat.edit'>>()
  const deleted = new Set<number>()
  for (const entry of entries) {
    if (entry.kind === 'chat.edit') edits.set(entry.body.target, entry)
    if (entry.kind === 'chat.delete') deleted.add(entry.body.target)
  }
  return { edits, deleted }
}

function messageOf(entry: EntryOf<'chat'>, changes: Changes): ThreadItem {
  const edit = changes.edits.get(entry.seq)
  const said = edit?.body ?? entry.body
  const deleted = changes.deleted.has(entry.seq)
  return {
    type: 'message',
    seq: entry.seq,
    author: entry.authorId,
    authorKind: entry.authorKind,
    text: deleted ? '' : said.text,
    mentions: said.mentions,
    everyone: said.everyone,
    replyTo: entry.body.replyTo,
    edited: edit !== undefined,
    deleted,
    handover: entry.body.handover !== undefined,
    decision: entry.causedBy ?? undefined,
    at: entry.body.saidAt ?? entry.createdAt,
  }
}

function toolsOf(entry: EntryOf<'pi.assistant'>, lookups: Lookups): readonly ThreadItem[] {
  const { decision, round, message } = entry.body
  const outcome = lookups.outcomes.get(decision)
  const calls = message.content
    .filter((block) => block['type'] === 'toolCall')
    .map((block, index): ToolCallView => {
      const result = lookups.results.get(resultKey({ decision, round, index }))
      return {
        key: `${decision}:${round}:${index}`,
        tool: String(block['name']),
        args: block['arguments'],
        state: stateOf(result, outcome),
        text: result?.body.text ?? '',
        ms: result?.body.ms,
      }
    })
  if (calls.length === 0) return []
  return [{ type: 'tools', seq: entry.seq, decision, bot: entry.authorId, calls }]
}

function stateOf(
  result: EntryOf<'pi.tool_result'> | undefined,
  outcome: OutcomeBody | undefined,
): CallState {
  if (result !== undefined) {
    if (result.body.error === 'outcome_unknown') return 'unknown'
    return result.body.isError ? 'failed' : 'done'
  }
  if (outcome === undefined) return 'running'
  return outcome.status === 'cancelled' ? 'cancelled' : 'unknown'
}

function resultKey(place: { decision: number; round: number; index: number }): string {
  return `${place.decision}:${place.round}:${place.index}`
}

/** A decision that has ended has served its speaker's requests and voided those its outcome names. */
function waitingAfter(last: Extract<ThreadItem, { type: 'decision' }>): readonly BotRequest[] {
  const { decision, outcome } = last
  const voided = new Set(outcome?.voided.map((request) => `${request.bot}:${request.entry}`))
  return decision.requests.filter((request) => {
    const served =
      request.bot === decision.speaker && request.entry <= decision.to && outcome !== undefined
    return !served && !voided.has(`${request.bot}:${request.entry}`)
  })
}
