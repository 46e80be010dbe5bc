import type {
  ActorId,
  AuthorKind,
  BotRequest,
  DecisionBody,
  Entry,
  Failing,
  Offset,
  Via,
} from '@arbe/sdk'
import { renameMentions } from '@arbe/sdk/mentions'
import { coveredTokens, MOST_WAKING, TOKEN_BUDGET } from './thread-director-budget.ts'
import { type Changes, changesIn, isDeleted } from './thread-director-changes.ts'
import type { Capture, RosterBot, RosterPerson, ThreadSettings } from './thread-director-port.ts'
import { hopsOf, type Requests, requestsOf, type Voided } from './thread-director-requests.ts'

/** A message as it reads now, its mentions by the handles of now. */
export interface Said {
  readonly entry: Offset
  readonly author: ActorId
  readonly authorKind: AuthorKind
  /** Where the author has it from, who may speak for many there. */
  readonly via: Via | undefined
  readonly text: string
  readonly mentions: readonly ActorId[]
  readonly everyone: boolean
  readonly isReply: boolean
  /** The bot whose message this replies to. */
  readonly answers: ActorId | undefined
  /** False for what was imported: it was said elsewhere. */
  readonly wakes: boolean
  /** Milliseconds since the epoch, the database's clock. */
  readonly at: number
}

/** All that the rules know. Nothing past `seen` is in it. */
export interface DirectorView {
  /** The decision covers the waking entries in (from, to]. */
  readonly from: Offset
  readonly to: Offset
  readonly seen: Offset
  readonly now: number
  readonly thread: ThreadSettings
  readonly people: readonly RosterPerson[]
  readonly bots: readonly RosterBot[]
  /** False when no waking entry stands in the range, be it deleted since. */
  readonly covers: boolean
  /** Further waking entries stand behind the range. */
  readonly more: boolean
  /** How many of the range could not be read. */
  readonly skipped: number
  /** The range without what was deleted. */
  readonly unread: readonly Entry[]
  readonly texts: readonly Said[]
  /** Texts that are read but not covered, oldest first. */
  readonly context: readonly Said[]
  /** Oldest first. */
  readonly requests: readonly BotRequest[]
  readonly voided: readonly Voided[]
  /** What the limits count. */
  readonly turns: DecisionBody['turnsSincePerson']
  /** Bots that passed on this range already. */
  readonly passers: readonly ActorId[]
  /** Paid decisions this range has had already. */
  readonly paidCalls: number
  /** A model that left the last paid decisions undecided. */
  readonly failing: Failing | undefined
}

export function viewOf(capture: Capture): DirectorView {
  const entries = entriesOf(capture)
  const reader = readerOf(capture, entries)
  const { changes } = reader
  const range = rangeOf(capture, changes)
  const unread = range.filter((entry) => !isDeleted(changes, entry))
  const to = range.at(-1)?.seq ?? capture.decidedOffset
  const { open, voided } = requestsOf(capture, { range, ...reader })
  return {
    from: capture.decidedOffset,
    to,
    seen: capture.seen,
    now: capture.now,
    thread: capture.thread,
    people: capture.people,
    bots: capture.bots,
    covers: range.length > 0,
    skipped: range.filter(({ seq }) => capture.unreadable?.includes(seq)).length,
    more: capture.more || range.length < capture.unread.length,
    unread,
    texts: unread.flatMap((entry) => textOf(entry, unread, reader)),
    context: contextOf(entries, { from: capture.decidedOffset, to }, reader),
    requests: open,
    voided,
    turns: turnsSincePerson(capture, range),
    failing: capture.lastDecision?.failing,
    ...secondLook(capture),
  }
}

/** True for what a person says to the thread; settings that a person changes are none. */
export function isWordOfPerson(entry: Entry): boolean {
  return (
    entry.authorKind === 'person' &&
    (entry.kind === 'chat' ||
      entry.kind === 'chat.edit' ||
      entry.kind === 'thread.ask' ||
      entry.kind === 'thread.continue')
  )
}

/** What a turn's entries carry that serves no request. */
export function hopsOfRange(view: DirectorView): number {
  return Math.max(0, ...view.unread.map((entry) => hopsOf(entry, view.thread)))
}

/** What a stop leaves without an answer: all that is owed by what waits up to an offset. */
export function requestsUpTo(capture: Capture, to: Offset): Requests {
  const range = capture.unread.filter(({ seq }) => seq <= to)
  return requestsOf(capture, { range, ...readerOf(capture, entriesOf(capture)) })
}

interface Reader {
  readonly changes: Changes
  readonly botAuthors: ReadonlyMap<number, ActorId>
  readonly handles: ReadonlyMap<ActorId, string>
}

function entriesOf({ tail, unread }: Capture): readonly Entry[] {
  const bySeq = new Map([...tail, ...unread].map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

function readerOf({ people, bots }: Capture, entries: readonly Entry[]): Reader {
  const botAuthors = new Map(
    entries
      .filter((entry) => entry.kind === 'chat' && entry.authorKind === 'bot')
      .map((entry) => [entry.seq, entry.authorId]),
  )
  const handles = new Map([...people, ...bots].map(({ id, handle }) => [id, handle]))
  return { changes: changesIn(entries), botAuthors, handles }
}

function rangeOf(capture: Capture, changes: Changes): readonly Entry[] {
  // The beginning of a long backlog is read by nobody, so that no budget bounds it.
  if (capture.more) return capture.unread.slice(0, MOST_WAKING)
  // A range that is decided a second time never shrinks, however long an edit has made a text.
  const least = capture.lastDecision?.to ?? 0
  const range: Entry[] = []
  let tokens = 0
  for (const entry of capture.unread.slice(0, MOST_WAKING)) {
    tokens += tokensOf(entry, changes)
    if (range.length > 0 && entry.seq > least && tokens > TOKEN_BUDGET / 2) break
    range.push(entry)
  }
  return range
}

function tokensOf(entry: Entry, changes: Changes): number {
  if (isDeleted(changes, entry)) return 0
  if (entry.kind !== 'chat' && entry.kind !== 'chat.edit') return 0
  const message = entry.kind === 'chat' ? entry.seq : entry.body.target
  return coveredTokens(changes.edits.get(message)?.body.text ?? entry.body.text)
}

/** An edit that asks a bot is read as its message said again, unless that message is unread itself. */
function textOf(entry: Entry, unread: readonly Entry[], reader: Reader): readonly Said[] {
  if (entry.kind === 'chat') return [said(entry, reader)]
  if (entry.kind !== 'chat.edit') return []
  const { target } = entry.body
  return unread.some(({ seq }) => seq === target) ? [] : [said(entry, reader)]
}

function said(entry: Extract<Entry, { kind: 'chat' | 'chat.edit' }>, reader: Reader): Said {
  const message = entry.kind === 'chat' ? entry.seq : entry.body.target
  const now = reader.changes.edits.get(message)?.body ?? entry.body
  const replyTo = entry.kind === 'chat' ? entry.body.replyTo : undefined
  return {
    entry: entry.seq,
    author: entry.authorId,
    authorKind: entry.authorKind,
    via: entry.kind === 'chat' ? entry.body.via : undefined,
    text: renameMentions(now.text, now.names ?? [], (id) => reader.handles.get(id)),
    mentions: now.mentions,
    everyone: now.everyone,
    isReply: replyTo !== undefined,
    answers: reader.botAuthors.get(replyTo ?? 0),
    wakes: entry.wakes,
    at: Date.parse(entry.createdAt),
  }
}

// What waits behind `to` is decided next: shown here it would be answered twice.
function contextOf(
  entries: readonly Entry[],
  range: { readonly from: Offset; readonly to: Offset },
  reader: Reader,
): readonly Said[] {
  return entries
    .filter((entry) => entry.kind === 'chat')
    .filter((entry) => !entry.wakes || entry.seq <= range.from)
    .filter((entry) => !isDeleted(reader.changes, entry))
    .map((entry) => said(entry, reader))
}

function turnsSincePerson(capture: Capture, range: readonly Entry[]): DirectorView['turns'] {
  const lastWord = range.findLast(isWordOfPerson)?.seq ?? 0
  return (capture.lastDecision?.turnsSincePerson ?? []).filter((turn) => turn.to >= lastWord)
}

function secondLook(capture: Capture): Pick<DirectorView, 'passers' | 'paidCalls'> {
  const { lastDecision, lastOutcome } = capture
  if (lastDecision === undefined || lastOutcome?.closes !== false) {
    return { passers: [], paidCalls: 0 }
  }
  const { passedBy, speaker, paidCalls } = lastDecision
  return { passers: speaker === null ? passedBy : [...passedBy, speaker], paidCalls }
}
