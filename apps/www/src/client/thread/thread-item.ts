import type { DecisionBody, Entry, EntryOf, OutcomeBody, Via } from '@arbe/sdk'
import type { ToolCallView } from './tool-call-view.ts'

/** What stands in a thread for a person to read, in order. */
export type ThreadItem =
  | MessageItem
  | DecisionItem
  | NobodyItem
  | TurnItem
  | OutcomeItem
  | NoticeItem

/** Whom a stored text mentions. */
export interface Named {
  readonly mentions: readonly string[]
  readonly everyone: boolean
  /** The handles it calls them by; undefined in an entry that was stored before they were kept. */
  readonly names: readonly { readonly id: string; readonly handle: string }[] | undefined
}

export const NOBODY_NAMED: Named = { mentions: [], everyone: false, names: [] }

export interface MessageItem {
  readonly type: 'message'
  readonly seq: number
  readonly author: string
  readonly authorKind: Entry['authorKind']
  readonly via: Via | undefined
  readonly text: string
  readonly named: Named
  readonly replyTo: number | undefined
  readonly isEdited: boolean
  readonly isDeleted: boolean
  /** The decision whose turn said it. */
  readonly decision: number | undefined
  readonly at: string
  /** Said elsewhere: nobody was called by it. */
  readonly isImported: boolean
}

export interface DecisionItem {
  readonly type: 'decision'
  readonly seq: number
  readonly decision: DecisionBody
  readonly outcome: OutcomeBody | undefined
  /** The turn's own reply was decided about as well, and asked nobody. */
  readonly after: DecisionBody | undefined
  readonly wasTooMuch: boolean
}

/** Decisions for nobody that followed each other while no bot spoke. */
export interface NobodyItem {
  readonly type: 'nobodies'
  readonly seq: number
  readonly decisions: readonly DecisionItem[]
}

/** What a bot did and said in one go. */
export interface TurnItem {
  readonly type: 'turn'
  readonly seq: number
  readonly key: string
  readonly decision: number
  readonly bot: string
  readonly parts: readonly TurnPart[]
}

export type TurnPart = RoundPart | MessageItem

/** One answer of the model that called tools; what it said with the calls stands before them. */
export interface RoundPart {
  readonly type: 'round'
  readonly seq: number
  readonly text: string
  readonly calls: readonly ToolCallView[]
  readonly at: string
}

/** A turn that ended without a reply, or with half of one. */
export interface OutcomeItem {
  readonly type: 'outcome'
  readonly seq: number
  /** Undefined: its decision stands in an older page. */
  readonly bot: string | undefined
  readonly outcome: OutcomeBody
}

/** Changes of the thread that one person made in a row. */
export interface NoticeItem {
  readonly type: 'notice'
  readonly seq: number
  readonly entries: readonly [NoticeEntry, ...NoticeEntry[]]
}

export type NoticeEntry = EntryOf<
  | 'thread.ask'
  | 'thread.continue'
  | 'thread.stop'
  | 'thread.title'
  | 'thread.people'
  | 'thread.bots'
  | 'thread.mute'
  | 'thread.limits'
  | 'thread.banter'
  | 'thread.environment'
>
