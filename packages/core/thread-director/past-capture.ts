import type { Entry, EntryOf } from '@arbe/sdk'
import { type RosterToday, rosterAt } from './past-roster.ts'
import { tailOf, UNREAD_MAX } from './thread-director-capture.ts'
import type { Capture } from './thread-director-port.ts'

export type DecisionEntry = EntryOf<'signal.thread_director.decision'>

/** A thread's stream, oldest first: all of its settings, and all that is said and decided around what is replayed. */
export interface PastThread {
  readonly entries: readonly Entry[]
  readonly today: RosterToday
}

/** What the director had read when it made this decision. */
export function captureAt({ entries, today }: PastThread, decision: DecisionEntry): Capture {
  const { d, from, seen, ms } = decision.body
  const now = Date.parse(decision.createdAt) - ms
  const known = entries.filter(({ seq }) => seq <= seen)
  const waking = known.filter(({ wakes, seq }) => wakes && seq > from)
  const unread = waking.slice(0, UNREAD_MAX)
  return {
    rev: undefined,
    rosterVersion: '',
    decidedOffset: from,
    d,
    seen,
    now,
    ...rosterAt(today, known, { seen, now }),
    lastDecision: entries.find(isDecisionOf(d - 1))?.body,
    lastOutcome: entries.find(isOutcomeOf(d - 1))?.body,
    unread,
    more: waking.length > UNREAD_MAX,
    tail: tailOf(known, { decidedOffset: from, unread }),
  }
}

const isDecisionOf =
  (d: number) =>
  (entry: Entry): entry is DecisionEntry =>
    entry.kind === 'signal.thread_director.decision' && entry.body.d === d

const isOutcomeOf =
  (d: number) =>
  (entry: Entry): entry is EntryOf<'signal.thread_director.outcome'> =>
    entry.kind === 'signal.thread_director.outcome' && entry.body.d === d
