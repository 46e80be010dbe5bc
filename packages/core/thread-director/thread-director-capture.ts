import {
  bodySchemas,
  type DecisionBody,
  type Entry,
  type Offset,
  type OutcomeBody,
} from '@arbe/sdk'
import { knownEntries } from '../streams/entry-row.ts'
import type { Capture, RosterBot, RosterPerson, ThreadSettings } from './thread-director-port.ts'

/** As `director_capture` gives it. Entries and roster are what this server wrote; decision and outcome may be a newer one's. */
export interface CaptureJson {
  readonly rev: number | null
  readonly rosterVersion: string
  readonly decidedOffset: Offset
  readonly d: number
  readonly seen: Offset
  readonly now: number
  readonly thread: ThreadSettings
  readonly people: readonly RosterPerson[]
  readonly bots: readonly RosterBot[]
  readonly lastDecision: unknown
  readonly lastOutcome: unknown
  readonly unread: readonly Offset[]
  readonly tail: readonly Entry[]
}

/** How many of the last entries of the conversation a capture holds. */
export const TAIL_MAX = 60

/** At most this many waking entries are covered by one decision. */
export const UNREAD_MAX = 100

/** Throws on a decision or outcome that this code cannot read: to go on without knowing what was decided would decide it twice. */
export function toCapture(json: CaptureJson): Capture {
  const tail = knownEntries(json.tail)
  const unread = new Set(json.unread.slice(0, UNREAD_MAX))
  return {
    ...json,
    rev: json.rev ?? undefined,
    lastDecision: readDecision(json.lastDecision),
    lastOutcome: readOutcome(json.lastOutcome),
    unread: tail.filter(({ seq }) => unread.has(seq)),
    more: json.unread.length > UNREAD_MAX,
    tail,
  }
}

export function readDecision(body: unknown): DecisionBody | undefined {
  if (body === null) return undefined
  return bodySchemas['signal.thread_director.decision'].parse(body)
}

export function readOutcome(body: unknown): OutcomeBody | undefined {
  if (body === null) return undefined
  return bodySchemas['signal.thread_director.outcome'].parse(body)
}
