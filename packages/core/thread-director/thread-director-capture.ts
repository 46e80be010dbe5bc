import {
  bodySchemas,
  type DecisionBody,
  type Entry,
  type Offset,
  type OutcomeBody,
} from '@arbe/sdk'
import { isSound, withIsoTime } from '../streams/entry-row.ts'
import type { Capture, RosterBot, RosterPerson, ThreadSettings } from './thread-director-port.ts'

/** As `director_capture` gives it. Entries and roster are what this server wrote; decision and outcome may be a newer one's. */
export interface CaptureJson {
  readonly rev: number | null
  readonly title: string
  readonly roster: {
    readonly thread: Omit<ThreadSettings, 'title'>
    readonly people: readonly RosterPerson[]
    readonly bots: readonly RosterBot[]
  }
  readonly rosterVersion: string
  readonly decidedOffset: Offset
  readonly d: number
  readonly seen: Offset
  readonly now: number
  readonly lastDecision: unknown
  readonly lastOutcome: unknown
  readonly unread: readonly Offset[]
  /** Up to where its reader knows the tail; null: reads it here. */
  readonly known: Offset | null
  /** The row's cache of the tail, up to `cachedTo`; empty for a reader that knows more. */
  readonly cached: readonly Entry[]
  readonly cachedTo: Offset
  /** What came after the known or cached tail, and what that speaks of. */
  readonly recent: readonly Entry[]
  readonly older: readonly Entry[]
}

/** How many of the last entries of the conversation a capture holds. */
export const TAIL_MAX = 60

/** At most this many waking entries are covered by one decision. */
export const UNREAD_MAX = 100

/** Throws on a decision or outcome that this code cannot read: to go on without knowing what was decided would decide it twice. */
export function toCapture(json: CaptureJson, known: readonly Entry[] = json.cached): Capture {
  const { decidedOffset } = json
  const unreadSeqs = new Set(json.unread.slice(0, UNREAD_MAX))
  const came = [...json.recent, ...json.older]
  const fresh = came.flatMap(readableOf).map(withIsoTime)
  const entries = inOrder([...known, ...fresh])
  const unread = entries.filter(({ seq }) => unreadSeqs.has(seq))
  return {
    rev: json.rev ?? undefined,
    rosterVersion: json.rosterVersion,
    decidedOffset,
    d: json.d,
    seen: json.seen,
    now: json.now,
    thread: { ...json.roster.thread, title: json.title },
    people: json.roster.people,
    bots: json.roster.bots,
    lastDecision: readDecision(json.lastDecision),
    lastOutcome: readOutcome(json.lastOutcome),
    unread,
    unreadable: came.filter((entry) => entry.wakes && !isSound(entry)).map(({ seq }) => seq),
    more: json.unread.length > UNREAD_MAX,
    tail: tailOf(entries, { decidedOffset, unread }),
  }
}

/** Of the entries, oldest first, those that a capture's tail holds. */
export function tailOf(
  entries: readonly Entry[],
  { decidedOffset, unread }: Pick<Capture, 'decidedOffset' | 'unread'>,
): readonly Entry[] {
  const from = entries.filter(isConversation).at(-TAIL_MAX)?.seq ?? 0
  const unreadSeqs = new Set(unread.map(({ seq }) => seq))
  const spokenOf = new Set(unread.flatMap(placesIn))
  return entries.filter(
    (entry) =>
      unreadSeqs.has(entry.seq) ||
      (isConversation(entry) && entry.seq >= from) ||
      (isChange(entry) && (entry.seq > decidedOffset || spokenOf.has(entry.body.target))) ||
      spokenOf.has(entry.seq),
  )
}

export function readDecision(body: unknown): DecisionBody | undefined {
  if (body === null) return undefined
  const read = bodySchemas['signal.thread_director.decision'].safeParse(body)
  if (!read.success) throw new UnreadableStream('decision', read.error)
  return read.data
}

export function readOutcome(body: unknown): OutcomeBody | undefined {
  if (body === null) return undefined
  const read = bodySchemas['signal.thread_director.outcome'].safeParse(body)
  if (!read.success) throw new UnreadableStream('outcome', read.error)
  return read.data
}

interface Misread {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}

/** Its thread waits, and the log says for what. */
class UnreadableStream extends Error {
  override readonly name = 'UnreadableStream'
  constructor(what: string, { issues }: Misread) {
    const where = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    super(
      `the thread's last ${what} cannot be read by this version (${where}); it waits for one that can`,
    )
  }
}

/** What wakes has to be covered, be it readable or not. */
function readableOf(entry: Entry): readonly Entry[] {
  if (isSound(entry)) return [entry]
  return entry.wakes
    ? [{ ...entry, readable: false, kind: 'thread.title', body: { title: '' } }]
    : []
}

function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

export function isConversation(entry: Entry): boolean {
  return (
    entry.readable ||
    isChange(entry) ||
    entry.kind === 'thread.ask' ||
    entry.kind === 'thread.continue'
  )
}

type Change = Extract<Entry, { readonly kind: 'chat.edit' | 'chat.delete' }>

function isChange(entry: Entry): entry is Change {
  return entry.kind === 'chat.edit' || entry.kind === 'chat.delete'
}

/** What an entry speaks of. */
function placesIn(entry: Entry): readonly Offset[] {
  if (entry.kind === 'chat') return entry.body.replyTo === undefined ? [] : [entry.body.replyTo]
  return isChange(entry) ? [entry.body.target] : []
}
