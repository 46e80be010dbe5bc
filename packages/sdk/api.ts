import { z } from 'zod'
import {
  type DecisionBody,
  type Entry,
  type OutcomeBody,
  type Usage,
  TriggerModeSchema,
  UsageSchema,
  ViaSchema,
} from './entries.ts'

/** Shapes of the HTTP API under /v1, shared by server, web page, CLI and client. Unknown keys in a body are refused. */

export const RoleSchema = z.enum(['owner', 'admin', 'member', 'guest'])
export type Role = z.infer<typeof RoleSchema>

export const PersonSchema = z.object({
  id: z.string(),
  name: z.string(),
  handle: z.string(),
  role: RoleSchema,
})
export type Person = z.infer<typeof PersonSchema>

export const BotSchema = z.object({
  id: z.string(),
  name: z.string(),
  handle: z.string(),
  description: z.string(),
  prompt: z.string(),
  voice: z.string(),
  /** `provider/model`; empty: the house's default. */
  model: z.string(),
  triggerMode: TriggerModeSchema.nullable(),
  arbeContext: z.boolean(),
  toolsAllow: z.array(z.string()).nullable(),
  toolsDeny: z.array(z.string()),
})
export type Bot = z.infer<typeof BotSchema>

export const BotInputSchema = z.strictObject({
  name: z.string().min(1).max(64),
  handle: z.string().min(2).max(32).optional(),
  description: z.string().max(500).default(''),
  prompt: z.string().max(32_000).default(''),
  voice: z.string().max(2_000).default(''),
  model: z.string().max(200).default(''),
  triggerMode: TriggerModeSchema.nullable().default(null),
  arbeContext: z.boolean().default(true),
  toolsAllow: z.array(z.string()).nullable().default(null),
  toolsDeny: z.array(z.string()).default([]),
})
export type BotInput = z.input<typeof BotInputSchema>

export const BotPatchSchema = z.strictObject({
  name: z.string().min(1).max(64).optional(),
  handle: z.string().min(2).max(32).optional(),
  description: z.string().max(500).optional(),
  prompt: z.string().max(32_000).optional(),
  voice: z.string().max(2_000).optional(),
  model: z.string().max(200).optional(),
  triggerMode: TriggerModeSchema.nullable().optional(),
  arbeContext: z.boolean().optional(),
  toolsAllow: z.array(z.string()).nullable().optional(),
  toolsDeny: z.array(z.string()).optional(),
})
export type BotPatch = z.infer<typeof BotPatchSchema>

/** A bot as a member of one thread. */
export const ThreadBotSchema = z.object({
  id: z.string(),
  name: z.string(),
  handle: z.string(),
  description: z.string(),
  model: z.string(),
  /** Resolved: thread → bot → house. */
  mode: TriggerModeSchema,
  muted: z.boolean(),
  /** When the mute ends by itself; null: when somebody ends it. */
  mutedUntil: z.string().nullable(),
  demo: z.boolean(),
})
export type ThreadBot = z.infer<typeof ThreadBotSchema>

export const ThreadSchema = z.object({
  id: z.string(),
  title: z.string(),
  head: z.number(),
  createdAt: z.string(),
  lastAt: z.string(),
  people: z.array(PersonSchema),
  bots: z.array(ThreadBotSchema),
  /** Handles its members gave up lately: kept for them for thirty days, and naming nobody. */
  formerHandles: z.array(z.object({ id: z.string(), handle: z.string() })),
  limitPerBot: z.number(),
  limitPerThread: z.number(),
  /** The talk of bots may be answered by bots. */
  banter: z.boolean(),
  /** Where its bots run commands. */
  environment: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** A bot answers always, and the thread is no longer one person with one bot: its page may offer `auto`. */
  offerAuto: z.boolean(),
})
export type Thread = z.infer<typeof ThreadSchema>

export const ThreadSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  head: z.number(),
  /** The last entry that may be new to somebody: `head`, unless an import ends there. */
  newsTo: z.number(),
  lastAt: z.string(),
})
export type ThreadSummary = z.infer<typeof ThreadSummarySchema>

export const ThreadInputSchema = z.strictObject({
  title: z.string().max(120).default(''),
  /** Besides the maker, who is always in. */
  people: z.array(z.string()).default([]),
  bots: z.array(z.string()).default([]),
  /** The bot that it is a direct talk with: it is in the thread, and answers always until somebody decides otherwise. */
  parent: z.strictObject({ kind: z.literal('agent'), id: z.string() }).optional(),
})
export type ThreadInput = z.input<typeof ThreadInputSchema>

export const MuteInputSchema = z.discriminatedUnion('muted', [
  z.strictObject({
    bot: z.string(),
    muted: z.literal(true),
    /** Minutes until the mute ends by itself; left out: until somebody ends it. */
    for: z.int().min(1).max(525_600).optional(),
  }),
  z.strictObject({ bot: z.string(), muted: z.literal(false) }),
])
export type MuteInput = z.infer<typeof MuteInputSchema>

export const ThreadPatchSchema = z.strictObject({
  title: z.string().max(120).optional(),
  addPeople: z.array(z.string()).optional(),
  removePeople: z.array(z.string()).optional(),
  addBots: z.array(z.string()).optional(),
  removeBots: z.array(z.string()).optional(),
  modes: z.array(z.strictObject({ bot: z.string(), mode: TriggerModeSchema })).optional(),
  mutes: z.array(MuteInputSchema).optional(),
  banter: z.boolean().optional(),
  /** Null: its bots run commands nowhere. */
  environment: z.string().max(80).nullable().optional(),
  /** Turns without a word by a person in between; no house lets a thread have more than these. */
  limits: z
    .strictObject({ perBot: z.int().min(1).max(100), perThread: z.int().min(1).max(500) })
    .optional(),
})
export type ThreadPatch = z.infer<typeof ThreadPatchSchema>

/** What a person may append; the server stamps author, offset, mentions and the rest. */
export const AppendInputSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('chat'),
    text: z.string().min(1),
    replyTo: z.int().positive().optional(),
    /** Of a message that a bridge carries: its id there takes the place of the Idempotency-Key. */
    via: ViaSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal('chat.edit'),
    target: z.int().positive(),
    text: z.string().min(1),
  }),
  z.strictObject({ kind: z.literal('chat.delete'), target: z.int().positive() }),
  z.strictObject({ kind: z.literal('thread.ask'), bot: z.string() }),
  z.strictObject({ kind: z.literal('thread.continue') }),
  z.strictObject({ kind: z.literal('thread.stop') }),
  z.strictObject({
    kind: z.literal('thread.feedback'),
    decision: z.int().nonnegative(),
    verdict: z.enum(['should_have_stayed_quiet']),
  }),
])
export type AppendInput = z.infer<typeof AppendInputSchema>

/** Something said elsewhere before: read by all, new to nobody, and a call to no bot. */
export const ImportMessageSchema = z.strictObject({
  via: ViaSchema,
  text: z.string().min(1),
  saidAt: z.iso.datetime({ offset: true }),
  /** What it answers, if that is in the thread or comes before it in the batch; else it answers nothing. */
  replyTo: ViaSchema.omit({ name: true }).optional(),
})
export type ImportMessage = z.infer<typeof ImportMessageSchema>

export const IMPORT_MOST = 500
export const ImportInputSchema = z.strictObject({
  messages: z.array(ImportMessageSchema).min(1).max(IMPORT_MOST),
})

/** A line of an exported thread: an entry as the API gives it, with its author's name where that is known. */
export const ExportedEntrySchema = z.object({
  threadId: z.string(),
  seq: z.int().positive(),
  kind: z.string(),
  authorId: z.string(),
  authorName: z.string().optional(),
  createdAt: z.string(),
  body: z.unknown(),
})
export type ExportedEntry = z.infer<typeof ExportedEntrySchema>

/** One for each message, in their order. What `differs` stands there with other words and was left as it is. */
export const ImportedSchema = z.object({
  results: z.array(z.object({ seq: z.number(), status: z.enum(['new', 'duplicate', 'differs']) })),
})
export type Imported = z.infer<typeof ImportedSchema>

export const AppendedSchema = z.object({ seq: z.number(), duplicate: z.boolean() })
export type Appended = z.infer<typeof AppendedSchema>

export const MeSchema = z.object({
  person: PersonSchema,
  house: z.object({
    id: z.string(),
    name: z.string(),
    /** `provider/model` that chooses speakers; empty: the default model. */
    directorModel: z.string(),
  }),
  /** No provider key is configured: bots speak through the built-in demo model. */
  demo: z.boolean(),
})
export type Me = z.infer<typeof MeSchema>

export const SessionInputSchema = z.strictObject({
  /** Of an owner's link (`own_…`) or an invitation (`inv_…`). */
  token: z.string().min(1).max(200),
  /** How the new member is called; an owner may leave it out. */
  name: z.string().min(1).max(64).optional(),
})
export type SessionInput = z.infer<typeof SessionInputSchema>

export const MePatchSchema = z.strictObject({
  name: z.string().min(1).max(64).optional(),
  handle: z.string().min(2).max(32).optional(),
})
export type MePatch = z.infer<typeof MePatchSchema>

export const HousePatchSchema = z.strictObject({
  name: z.string().min(1).max(64).optional(),
  /** `provider/model` that chooses speakers; empty: the default model. */
  directorModel: z.string().max(200).optional(),
})
export type HousePatch = z.infer<typeof HousePatchSchema>

export const MemberPatchSchema = z.strictObject({ role: RoleSchema })

export const InvitationInputSchema = z.strictObject({
  role: z.enum(['admin', 'member', 'guest']).default('member'),
  days: z.int().min(1).max(90).default(7),
})
export type InvitationInput = z.input<typeof InvitationInputSchema>

/** The link is shown this once. It works for as many people as wanted until it expires or is revoked. */
export const InvitationSchema = z.object({ id: z.string(), url: z.string(), expiresAt: z.string() })
export type Invitation = z.infer<typeof InvitationSchema>

export const InvitationInfoSchema = z.object({
  id: z.string(),
  role: RoleSchema,
  expiresAt: z.string(),
  createdAt: z.string(),
})

export const TokenInputSchema = z.strictObject({
  label: z.string().min(1).max(64),
  /** A bot driven from outside that the token speaks for; left out: oneself. */
  bot: z.string().optional(),
})
export type TokenInput = z.infer<typeof TokenInputSchema>

export const TokenInfoSchema = z.object({
  id: z.string(),
  kind: z.enum(['pat', 'bot']),
  actor: z.string(),
  label: z.string(),
  createdAt: z.string(),
})
export const NewTokenSchema = z.object({ id: z.string(), token: z.string() })

/** One decision of the director with what came of it; the outcome is null while its turn runs, or when nobody spoke. */
export interface DecisionRecord {
  readonly seq: number
  readonly at: string
  readonly decision: DecisionBody
  readonly outcome: OutcomeBody | null
}

/** One call of a model for a decision, as it was sent and as it was answered. */
export interface ModelAsked {
  readonly at: string
  readonly model: string
  readonly request: {
    /** 2: asked once more, since the first answer could not be used. */
    readonly attempt: number
    /** Whom the ids in it mean; null is nobody. */
    readonly candidates: Readonly<Record<string, string | null>>
    readonly systemPrompt: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly tools: readonly {
      readonly name: string
      readonly description: string
      readonly parameters: object
    }[]
    readonly forceTool: string
    readonly maxOutputTokens: number
  }
  /** JSON of what the model gave, 16 KiB at most; null while it has not answered. */
  readonly answered: string | null
  readonly usage: Usage | null
  /** US dollars. */
  readonly cost: number
  readonly error: string | null
}

/** Settings of a bot that are not saved: what is left out is as the bot has it. */
export const BotTrialSchema = z.strictObject({
  id: z.string().max(80),
  name: z.string().min(1).max(64).optional(),
  handle: z.string().min(2).max(32).optional(),
  description: z.string().max(500).optional(),
  /** Null: as the house says. The thread's own mode for the bot goes before it, as ever. */
  triggerMode: TriggerModeSchema.nullable().optional(),
})
export type BotTrial = z.infer<typeof BotTrialSchema>

export const WhoWouldSpeakInputSchema = z.strictObject({
  text: z.string().min(1),
  replyTo: z.int().positive().optional(),
  /** Where no rule answers: ask the model, which costs what a decision costs. */
  paid: z.boolean().default(false),
  bot: BotTrialSchema.optional(),
})
export type WhoWouldSpeakInput = z.input<typeof WhoWouldSpeakInputSchema>

interface Supposition {
  /** The bot whose turn runs: the answer holds for when it ends without a word. */
  readonly running: string | null
  /** So much waits in the thread that the text would be decided later: the answer is about what comes before it. */
  readonly behind: boolean
  /** What sets the mode of the bot that is tried out; null when none is. */
  readonly modeFrom: 'thread' | 'bot' | 'house' | null
}

/** Who would speak if a text were said now. */
export type WhoWouldSpeak =
  | (Supposition & {
      readonly kind: 'decided'
      /** As it would be stored; its fence is 0, since nobody holds the thread for it. */
      readonly decision: DecisionBody
    })
  | (Supposition & {
      /** No rule answers: a model would choose among the eligible. */
      readonly kind: 'paid_needed'
      readonly candidates: DecisionBody['candidates']
      readonly nobodyAllowed: boolean
      readonly model: string
      /** What asking takes, about. */
      readonly inputTokens: number
      /** US dollars, about. */
      readonly cost: number
    })

export const DirectorReplayInputSchema = z.strictObject({
  /** How many of the last decisions. */
  last: z.int().min(1).max(200).default(50),
  /** `provider/model`, asked where no rule answers, which costs money; left out: nothing is asked. */
  model: z.string().min(1).max(200).optional(),
})
export type DirectorReplayInput = z.input<typeof DirectorReplayInputSchema>

/**
 * What came of making a decision again. `not_comparable`: a model was asked, and then none was or none answered. `not_asked`: it is a model's to
 * make, then as now, and none was named. `not_replayed`: it was not a director's, or the model could not be asked.
 */
export type ReplayVerdict = 'same' | 'different' | 'not_comparable' | 'not_asked' | 'not_replayed'

/** A decision and how it would be made with what was known then. */
export interface ReplayedDecision {
  readonly seq: number
  readonly at: string
  readonly verdict: ReplayVerdict
  readonly stored: DecisionBody
  /** Null: nothing was decided again, and the note says why. */
  readonly now: DecisionBody | null
  readonly note: string | null
}

export interface DirectorReplay {
  /** Oldest first. */
  readonly decisions: readonly ReplayedDecision[]
  readonly same: number
  readonly different: number
  readonly notComparable: number
  readonly notAsked: number
  readonly notReplayed: number
  /** US dollars that choosing cost then, but for what is not made again, and now; null: no model was named, so nothing was asked. */
  readonly cost: { readonly stored: number; readonly now: number | null }
}

export const CostBySchema = z.enum(['day', 'thread', 'bot', 'model'])
export type CostBy = z.infer<typeof CostBySchema>

const CostRowSchema = z.object({
  /** A day in UTC, the id of a thread or a bot (empty: the director), or a model's name. */
  key: z.string(),
  name: z.string(),
  calls: z.number(),
  /** Calls whose bill never came: what they cost is not in the sum. */
  unsettled: z.number(),
  usage: UsageSchema,
  /** US dollars, all calls together. */
  cost: z.number(),
  /** Of these, what went into choosing who speaks. */
  choosing: z.number(),
})
export type CostRow = z.infer<typeof CostRowSchema>

export const CostSchema = z.object({
  by: CostBySchema,
  since: z.string(),
  until: z.string(),
  /** By day the oldest first, else the dearest first. */
  rows: z.array(CostRowSchema),
  total: CostRowSchema.omit({ key: true, name: true }),
})
export type Cost = z.infer<typeof CostSchema>

export const ModelInfoSchema = z.object({
  name: z.string(),
  demo: z.boolean(),
  /** US dollars per million tokens. */
  inputPrice: z.number(),
  outputPrice: z.number(),
})
export type ModelInfo = z.infer<typeof ModelInfoSchema>

export const FileSchema = z.object({
  path: z.string(),
  version: z.number(),
  size: z.number(),
  author: z.string(),
  at: z.string(),
})
export type HouseFile = z.infer<typeof FileSchema>

/** RFC 9457 body of every error; `code` is stable. */
export const ProblemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
})
export type Problem = z.infer<typeof ProblemSchema>

/**
 * Events of the one live feed, GET /v1/feed (server-sent events). `entry` is durable and resumable by its id; the rest is
 * ephemeral and repaired by the next stored entry.
 */
export type FeedEvent =
  | { readonly type: 'entry'; readonly entry: Entry }
  | {
      readonly type: 'delta'
      readonly threadId: string
      readonly decision: number
      readonly fence: number
      readonly bot: string
      readonly round: number
      /** The thread's newest entry when this answer began: a later round or outcome of the decision holds it, or voids it. */
      readonly after: number
      /** Position of `text` in the round's text: a reader that misses one shows nothing until the stored round. */
      readonly at: number
      readonly text: string
    }
  | {
      readonly type: 'state'
      readonly threadId: string
      readonly state: ThreadState
    }
  | { readonly type: 'typing'; readonly threadId: string; readonly person: string }
  /** More was missed than the feed makes good: load the pages anew; what comes after this is new. */
  | { readonly type: 'reset' }

/** What a thread is doing, from its live lease: `until` bounds how long a reader may believe it (milliseconds since the epoch). */
export const ThreadStateSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('quiet') }),
  z.object({ status: z.literal('deciding'), fence: z.number(), until: z.number() }),
  z.object({
    status: z.literal('speaking'),
    fence: z.number(),
    bot: z.string(),
    decision: z.number(),
    tool: z.string().nullable(),
    since: z.number(),
    until: z.number(),
  }),
])
export type ThreadState = Readonly<z.infer<typeof ThreadStateSchema>>
