import { z } from 'zod'
import { type ActorId, type Offset, type ThreadId, toActorId, toOffset, toThreadId } from './ids.ts'

const actorId = z.string().min(1).max(80).transform(toActorId)
const threadId = z.string().min(1).max(80).transform(toThreadId)
const offset = z.int().nonnegative().transform(toOffset)
const ordinal = z.int().nonnegative()

export const TriggerModeSchema = z.enum(['always', 'auto', 'mention', 'never'])
export type TriggerMode = z.infer<typeof TriggerModeSchema>

/**
 * Marks the system agent's chat that reports a finished child thread. Its `mentions` hold the bot that delegated and nobody
 * else: the text is a report, and no name in it is a mention.
 */
export const ChatHandoverSchema = z.strictObject({
  childThreadId: threadId,
  status: z.enum(['completed', 'failed']),
  reason: z.string().optional(),
})

const mentionsFields = {
  /** Ids of the people and bots named in the text, in order of first appearance; the server's parser fills them. */
  mentions: z.array(actorId).default([]),
  everyone: z.boolean().default(false),
  /**
   * The handles the text calls them by: a handle may change and pass to somebody else, what was said does not. With these alone for
   * a roster the parser finds the same mentions at any later time. Absent where nobody is mentioned.
   */
  names: z.array(z.object({ id: actorId, handle: z.string() })).optional(),
}

/** Where a message was written that its author only carried here: over which bridge, under which id there, and by whom. */
export const ViaSchema = z.strictObject({
  bridge: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/),
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  /** A name of no member: it is shown, and stands for nobody here. */
  name: z.string().min(1).max(120).optional(),
})
export type Via = z.infer<typeof ViaSchema>

const ChatSchema = z.object({
  text: z.string(),
  ...mentionsFields,
  replyTo: offset.optional(),
  via: ViaSchema.optional(),
  handover: ChatHandoverSchema.optional(),
  /** The turn in another thread whose bot posted this. */
  origin: z.object({ threadId, decision: ordinal }).optional(),
  /** The `pi.assistant` entry whose text this is, when a bot's turn wrote it. */
  assistant: offset.optional(),
  /** Set on an imported entry: when it was said where it came from. */
  saidAt: z.string().optional(),
})

const RequestSchema = z.object({
  bot: actorId,
  /** The waking entry that opened the request. */
  entry: offset,
  /** The message that was edited, when an edit opened the request. */
  message: offset.optional(),
  by: z.enum(['asked', 'mention', 'reply_to', 'handover']),
  /** A request of a person is a debt; a bot's is not. */
  person: z.boolean(),
  hops: z.int().nonnegative(),
})
export type BotRequest = z.infer<typeof RequestSchema>

export const VoidReasonSchema = z.enum([
  'left',
  'muted',
  'edited',
  'deleted',
  'stopped',
  'gave_up',
  'too_many',
])
const VoidedSchema = z.object({ bot: actorId, entry: offset, why: VoidReasonSchema })

export const RuleSchema = z.enum([
  'backlog',
  'no_input',
  'asked',
  'debt',
  'mention',
  'reply_to',
  'handover',
  'continue',
  'blocked',
  'no_text',
  'hop_limit',
  'bot_spoke',
  'to_people',
  'named_unavailable',
  'always',
  'acknowledgement',
  'continuation',
  'no_bots',
  'turn_limit',
  'mention_only',
  'none_eligible',
  'owed',
  'passed',
  'stopped',
  'budget_spent',
  'gave_up',
  'unavailable',
  'no_answer',
  'model_paused',
])
export type Rule = z.infer<typeof RuleSchema>

/** Why a bot could not be chosen. */
export const ExclusionSchema = z.enum([
  'muted',
  'never',
  'mention_only',
  'turn_limit',
  'passed',
  'author',
  'external',
  'not_always',
])
export type Exclusion = z.infer<typeof ExclusionSchema>

export const UsageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
export type Usage = z.infer<typeof UsageSchema>

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

const FailingSchema = z.object({
  model: z.string(),
  times: z.int().positive(),
  pausedUntil: z.string().optional(),
})
export type Failing = z.infer<typeof FailingSchema>

const DecisionSchema = z.object({
  d: ordinal,
  /** Covers the waking entries in (from, to]; nothing past `seen` was read. */
  from: offset,
  to: offset,
  seen: offset,
  fence: ordinal,
  kind: z.enum(['free', 'paid', 'undecided']),
  rule: RuleSchema.optional(),
  speaker: actorId.nullable(),
  candidates: z.array(
    z.object({
      id: actorId,
      name: z.string(),
      eligible: z.boolean(),
      why: ExclusionSchema.optional(),
      /** When that ends by itself. */
      until: z.string().optional(),
    }),
  ),
  /** Still open when this decision was stored, those the speaker is about to serve included. */
  requests: z.array(RequestSchema),
  voided: z.array(VoidedSchema),
  /** Decisions with a speaker since the last entry by a person, oldest first: what the limits count. */
  turnsSincePerson: z.array(z.object({ bot: actorId, to: offset })),
  /** Bots that passed on the range that begins at `from`. */
  passedBy: z.array(actorId),
  /** Paid decisions (a corrective retry belongs to its decision) over the range that begins at `from`, this one included. */
  paidCalls: z.int().nonnegative(),
  owedAfter: RuleSchema.optional(),
  /** Entries of the range that could not be read: another version of this server wrote them, or something broke them. */
  skipped: z.int().positive().optional(),
  /** Bots a rule speaks about: the named but unavailable ones, those at their limit. */
  about: z
    .array(z.object({ id: actorId, why: z.string(), until: z.string().optional() }))
    .default([]),
  reason: z.string().optional(),
  model: z.string().optional(),
  usage: UsageSchema.optional(),
  /** US dollars. */
  cost: z.number(),
  /** Hops its turn's entries carry; what the turn starts in another thread carries one more. */
  hops: z.int().nonnegative(),
  ms: z.number(),
  salvaged: z.boolean().optional(),
  /** How often in a row one model left the thread undecided; while it is paused it is not asked. */
  failing: FailingSchema.optional(),
  error: z.string().optional(),
})
export type DecisionBody = z.infer<typeof DecisionSchema>

export const TurnStatusSchema = z.enum([
  'replied',
  'passed',
  'silent',
  'failed',
  'interrupted',
  'cancelled',
  'limit',
])
export type TurnStatus = z.infer<typeof TurnStatusSchema>

const OutcomeSchema = z.object({
  d: ordinal,
  /** False when another decision over the same range follows. */
  closes: z.boolean(),
  status: TurnStatusSchema,
  because: z.string().optional(),
  reply: offset.optional(),
  partial: z.string().optional(),
  rounds: z.int().nonnegative(),
  usage: UsageSchema,
  cost: z.number(),
  model: z.string().optional(),
  ms: z.number(),
  error: z.string().optional(),
  voided: z.array(VoidedSchema).default([]),
})
export type OutcomeBody = z.infer<typeof OutcomeSchema>

const AssistantSchema = z.object({
  decision: ordinal,
  round: z.int().nonnegative(),
  /** The provider's message as the model library gave it, verbatim: signatures in it are needed for replay. */
  message: z.looseObject({ role: z.literal('assistant'), content: z.array(z.looseObject({})) }),
  ms: z.number(),
})

const ToolResultSchema = z.object({
  decision: ordinal,
  round: z.int().nonnegative(),
  index: z.int().nonnegative(),
  callId: z.string(),
  tool: z.string(),
  text: z.string(),
  isError: z.boolean(),
  error: z.string().optional(),
  ms: z.number(),
})

const MuteSchema = z.object({
  bot: actorId,
  muted: z.boolean(),
  /** When the mute ends by itself; left out: when somebody ends it. */
  until: z.string().optional(),
})

/** Body of every kind of entry. An unknown kind is refused when written and skipped when read. */
export const bodySchemas = {
  chat: ChatSchema,
  'chat.edit': z.object({
    target: offset,
    text: z.string(),
    ...mentionsFields,
    /** Bots named now that the edited text did not name (a new @everyone: all of the thread): only these are asked by the edit. */
    added: z.array(actorId).default([]),
  }),
  'chat.delete': z.object({ target: offset }),
  'thread.ask': z.object({ bot: actorId }),
  'thread.continue': z.object({}),
  'thread.stop': z.object({ decision: ordinal.optional() }),
  'thread.title': z.object({ title: z.string() }),
  'thread.people': z.object({ added: z.array(actorId), removed: z.array(actorId) }),
  'thread.bots': z.object({
    added: z.array(actorId).default([]),
    removed: z.array(actorId).default([]),
    modes: z.array(z.object({ bot: actorId, mode: TriggerModeSchema })).default([]),
  }),
  'thread.mute': MuteSchema,
  'thread.limits': z.object({ perBot: z.int().positive(), perThread: z.int().positive() }),
  /** Where the thread's bots run commands from now on; null: nowhere. The name is that of the day. */
  'thread.environment': z.object({ environment: z.string().nullable(), name: z.string() }),
  /** Whether the talk of bots is put before the director's model. */
  'thread.banter': z.object({ on: z.boolean() }),
  'thread.feedback': z.object({ decision: ordinal, verdict: z.enum(['should_have_stayed_quiet']) }),
  'pi.user': z.object({ text: z.string() }),
  'pi.assistant': AssistantSchema,
  'pi.tool_result': ToolResultSchema,
  'pi.terminal': z.object({
    runId: z.string(),
    status: z.enum(['completed', 'failed']),
    reason: z.string().optional(),
    usage: UsageSchema.optional(),
  }),
  'signal.thread_director.decision': DecisionSchema,
  'signal.thread_director.outcome': OutcomeSchema,
  'signal.thread.child_finished': ChatHandoverSchema,
} as const

export type EntryKind = keyof typeof bodySchemas
export type EntryBody<K extends EntryKind> = z.infer<(typeof bodySchemas)[K]>

export type AuthorKind = 'person' | 'bot' | 'system' | 'director' | 'webhook'

interface EntryFields {
  readonly threadId: ThreadId
  readonly seq: Offset
  readonly key: string
  readonly authorId: ActorId
  readonly authorKind: AuthorKind
  readonly wakes: boolean
  readonly readable: boolean
  /** The decision whose turn wrote this entry. */
  readonly causedBy: number | null
  readonly hops: number
  /** ISO 8601, the database's clock. */
  readonly createdAt: string
}

/** One entry of a thread's stream, narrowed by `kind`. */
export type Entry = {
  [K in EntryKind]: EntryFields & { readonly kind: K; readonly body: EntryBody<K> }
}[EntryKind]

export type EntryOf<K extends EntryKind> = Extract<Entry, { readonly kind: K }>

export function isEntryKind(kind: string): kind is EntryKind {
  return Object.hasOwn(bodySchemas, kind)
}
