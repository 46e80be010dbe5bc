import type {
  ActorId,
  DecisionBody,
  Entry,
  HouseId,
  Offset,
  OutcomeBody,
  ThreadId,
  TriggerMode,
} from '@arbe/sdk'
import type { TurnResult } from '../threads/turn.ts'

/** One live holder a thread. Every write between claim and release carries the fence. */
export interface Lease {
  readonly threadId: ThreadId
  readonly houseId: HouseId
  readonly fence: number
  readonly attempts: number
}

export type Claim =
  | { readonly status: 'claimed'; readonly lease: Lease }
  /** Held by another, or backing off; the queue row is due again at that time. */
  | { readonly status: 'busy' }
  | { readonly status: 'gone' }

export interface RosterPerson {
  readonly id: ActorId
  readonly name: string
  readonly handle: string
}

export interface RosterBot {
  readonly id: ActorId
  readonly name: string
  readonly handle: string
  readonly description: string
  /** Resolved: thread → bot → house. */
  readonly mode: TriggerMode
  readonly muted: boolean
  /** When a mute ends by itself, ISO 8601; null: by hand, or there was none. It stays when it has passed. */
  readonly mutedUntil: string | null
  /** Head of the thread when it was muted last; 0: never. */
  readonly mutedAt: number
  readonly external: boolean
  readonly model: string
  readonly tools: readonly string[]
}

export interface ThreadSettings {
  readonly title: string
  readonly banter: boolean
  readonly limitPerBot: number
  readonly limitPerThread: number
  /** Inherited by a thread that a turn made. */
  readonly hops: number
  readonly directorModel: string | null
}

/** All a pass may know, read at one moment: nothing past `seen` is in it. */
export interface Capture {
  /** The queue row's rev before reading: a wake after this moment moves it. Undefined when there is no row. */
  readonly rev: number | undefined
  /** Changes with every change of roster, mode, mute or limit; checked again when a decision is stored. */
  readonly rosterVersion: string
  readonly decidedOffset: Offset
  /** Ordinal of the next decision; the first one is 1. */
  readonly d: number
  /** Head of the thread at capture. */
  readonly seen: Offset
  /** Milliseconds since the epoch, the database's clock. */
  readonly now: number
  readonly thread: ThreadSettings
  readonly people: readonly RosterPerson[]
  readonly bots: readonly RosterBot[]
  readonly lastDecision: DecisionBody | undefined
  /** Undefined while the last decision has none. */
  readonly lastOutcome: OutcomeBody | undefined
  /** Waking entries past decidedOffset, at most 100, oldest first. */
  readonly unread: readonly Entry[]
  /** Which of `unread` could not be read: something that says nothing and asks for nothing stands in the place of each. */
  readonly unreadable?: readonly Offset[]
  /** True when more waking entries stand behind the last of `unread`. */
  readonly more: boolean
  /**
   * What is said up to `seen`, oldest first: the last entries of the conversation, each unread entry, whatever an unread one
   * replies to, edits or deletes, and every edit and deletion past decidedOffset (the last decision's `seen` is no bound: after a
   * backlog it lies beyond what is decided). Texts are as first written: fold the edits and deletions over them.
   */
  readonly tail: readonly Entry[]
}

export type DecisionDraft = Omit<DecisionBody, 'd' | 'fence'>

export type StoreDecision =
  | { readonly status: 'stored'; readonly decision: DecisionBody; readonly seq: Offset }
  /** Roster, mode, mute or limit changed since the capture: capture anew. */
  | { readonly status: 'stale' }
  | { readonly status: 'lease_lost' }

export type StoreAndRelease =
  | StoreDecision
  | { readonly status: 'released'; readonly decision: DecisionBody; readonly seq: Offset }

/** What the closing transaction writes besides the outcome; computed by a pure function from decision and result. */
export interface Closing {
  readonly closes: boolean
  /** Parsed mentions and hops of the reply are filled by the caller: the store only writes. */
  readonly reply: ReplyDraft | undefined
  readonly voided: DecisionBody['voided']
}

/** Whom a text mentions, and by which handles. */
export interface NamedInText {
  readonly mentions: readonly ActorId[]
  readonly names: readonly { readonly id: ActorId; readonly handle: string }[]
}

export interface ReplyDraft {
  readonly text: string
  readonly named: NamedInText
  readonly assistant: Offset | undefined
  readonly hops: number
}

export type CloseDecision =
  | { readonly status: 'closed'; readonly outcome: OutcomeBody }
  | { readonly status: 'lease_lost' }

/** Somebody's wish that the thread falls silent; the same key twice is the same wish. */
export interface StopOrder {
  readonly threadId: ThreadId
  readonly authorId: ActorId
  readonly key: string
}

export type Stopped =
  /** `decision` was running and is closed as cancelled; undefined: nothing had been decided yet, nobody speaks. */
  | { readonly status: 'stopped'; readonly decision: number | undefined }
  | { readonly status: 'idle' }
  | { readonly status: 'gone' }

/**
 * The director's store. One suite holds for Postgres, the embedded engine and the in-memory store of the simulation.
 * A fenced write answers `lease_lost` instead of writing when the fence is stale or the lease has lapsed.
 */
export interface DirectorStore {
  /** Threads whose queue row is due, earliest first. */
  dueThreads(limit: number): Promise<readonly ThreadId[]>
  claim(
    threadId: ThreadId,
    holder: { readonly id: string; readonly leaseMs: number },
  ): Promise<Claim>
  /** False when the fence is stale or the lease has lapsed. Runs on the renewal session. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>
  capture(lease: Lease): Promise<Capture>
  /** Without a speaker the same transaction advances decided_offset to `to`: the range is closed. */
  storeDecision(lease: Lease, rosterVersion: string, draft: DecisionDraft): Promise<StoreDecision>
  /**
   * `storeDecision` and, where that ended the range and nothing woke the thread since the capture, `releaseIfQuiet` in the same
   * transaction; else the lease is kept. Called when the draft has no speaker and leaves no servable request.
   */
  storeAndRelease(
    lease: Lease,
    capture: Pick<Capture, 'rosterVersion' | 'rev'>,
    draft: DecisionDraft,
  ): Promise<StoreAndRelease>
  /** Idempotent: a closed decision returns what is stored. Advances to `to`, strikes served requests, wakes for its reply. */
  closeDecision(
    lease: Lease,
    decision: DecisionBody,
    closing: { readonly result: TurnResult; readonly closing: Closing },
  ): Promise<CloseDecision>
  /** Entries the decision's turn has stored so far, oldest first. */
  turnEntries(lease: Lease, d: number): Promise<readonly Entry[]>
  /**
   * Called when the caller saw no unread entry and no servable request at `rev`. A wake since then answers `more`: the lease is
   * kept, capture again.
   */
  releaseIfQuiet(lease: Lease, rev: number | undefined): Promise<'released' | 'more' | 'lease_lost'>
  /** Gives the lease back with work left, due at once; the claim does not count as an attempt. */
  handBack(lease: Lease): Promise<void>
  /** Gives the lease back after a pass that threw: backs off by attempts (1 s … 5 min). */
  backOff(lease: Lease, error: string): Promise<void>
  /**
   * Takes the thread over, whoever holds it, closes what runs or waits as cancelled or nobody, voids what is owed up to there, and
   * leaves the thread due for what came after.
   */
  stop(order: StopOrder): Promise<Stopped>
  /** Re-wakes threads that have undecided entries and no due row; the safety behind the queue. */
  sweep(): Promise<number>
}
