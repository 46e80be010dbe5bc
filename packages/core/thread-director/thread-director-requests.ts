import { type ActorId, type BotRequest, type DecisionBody, type Entry, isAgentId } from '@arbe/sdk'
import { MOST_HOPS } from '../threads/hops.ts'
import { type Changes, isDeleted } from './thread-director-changes.ts'
import type { Capture, RosterBot, ThreadSettings } from './thread-director-port.ts'

export const MOST_REQUESTS = 50

export type Voided = DecisionBody['voided'][number]

export interface Requests {
  /** Oldest first; within one entry in the order named. */
  readonly open: readonly BotRequest[]
  /** Voided since the last decision. */
  readonly voided: readonly Voided[]
}

/** Where the unread stands: its entries, what changed in the thread, and who wrote what. */
export interface Reading {
  readonly range: readonly Entry[]
  readonly changes: Changes
  /** Author of each bot's message that is at hand, by offset. */
  readonly botAuthors: ReadonlyMap<number, ActorId>
}

/** The bots that are owed a turn. */
export function requestsOf(capture: Capture, reading: Reading): Requests {
  // A range that is decided a second time has had its entries looked at up to the first decision's `to`.
  const known = capture.lastDecision?.to ?? 0
  const fresh = reading.range
    .filter((entry) => entry.seq > known && !isDeleted(reading.changes, entry))
    .flatMap((entry) => openedBy(entry, capture, reading))
  const open: BotRequest[] = []
  const voided: Voided[] = []
  const writtenAt = new Map(reading.range.map(({ seq, createdAt }) => [seq, createdAt]))
  for (const request of [...stillOwed(capture), ...fresh]) {
    const bot = capture.bots.find(({ id }) => id === request.bot)
    const why =
      changeReason(request, reading.changes) ??
      awayReason(request, bot, writtenAt.get(request.entry))
    if (why === undefined) open.push(request)
    else voided.push({ bot: request.bot, entry: request.entry, why })
  }
  const surplus = open.splice(0, Math.max(0, open.length - MOST_REQUESTS))
  return { open, voided: [...voided, ...surplus.map((request) => voidOf(request, 'too_many'))] }
}

export function voidOf(request: BotRequest, why: Voided['why']): Voided {
  return { bot: request.bot, entry: request.entry, why }
}

/** A thread made by a turn hands its count on to everything in it that no person wrote. */
export function hopsOf(entry: Entry, thread: ThreadSettings): number {
  return entry.authorKind === 'person' ? entry.hops : Math.max(entry.hops, thread.hops)
}

/**
 * A turn serves every request of its bot that it covers, whatever came of it. A bot that passed, so that the range is decided
 * again, was served too; only what it could not have seen is still owed to it.
 */
export function stillOwed({
  lastDecision,
  lastOutcome,
}: Pick<Capture, 'lastDecision' | 'lastOutcome'>): readonly BotRequest[] {
  if (lastDecision === undefined) return []
  if (lastOutcome === undefined) return lastDecision.requests
  return lastDecision.requests.filter(
    (request) =>
      !isServedBy(lastDecision, request) &&
      !lastOutcome.voided.some(
        (voided) => voided.bot === request.bot && voided.entry === request.entry,
      ),
  )
}

export function isServedBy(decision: DecisionBody, request: BotRequest): boolean {
  return request.bot === decision.speaker && request.entry <= decision.to
}

interface Call {
  readonly bot: ActorId
  readonly by: BotRequest['by']
}

function openedBy(entry: Entry, capture: Capture, reading: Reading): readonly BotRequest[] {
  const hops = hopsOf(entry, capture.thread)
  if (!entry.wakes || hops > MOST_HOPS) return []
  const common = {
    entry: entry.seq,
    ...(entry.kind === 'chat.edit' && { message: entry.body.target }),
    person: entry.authorKind === 'person',
    hops,
  }
  return callsIn(entry, capture.bots, reading)
    .filter((call, at, calls) => calls.findIndex(({ bot }) => bot === call.bot) === at)
    .filter((call) => call.bot !== entry.authorId && opensFor(call, capture.bots))
    .map((call) => ({ ...common, ...call }))
}

function callsIn(entry: Entry, bots: readonly RosterBot[], reading: Reading): readonly Call[] {
  if (entry.kind === 'thread.ask') {
    return entry.authorKind === 'person' ? [{ bot: entry.body.bot, by: 'asked' }] : []
  }
  if (entry.kind === 'chat.edit') {
    const now = reading.changes.edits.get(entry.body.target)?.body ?? entry.body
    return entry.body.added.filter((bot) => names(now, bot)).map((bot) => ({ bot, by: 'mention' }))
  }
  if (entry.kind !== 'chat') return []
  if (entry.body.handover !== undefined && entry.authorKind === 'system') {
    return entry.body.mentions.map((bot) => ({ bot, by: 'handover' }))
  }
  const now = reading.changes.edits.get(entry.seq)?.body ?? entry.body
  const mentioned = entry.body.mentions.filter((bot) => names(now, bot))
  const calls: Call[] = mentioned.map((bot) => ({ bot, by: 'mention' }))
  if (entry.authorKind !== 'person') return calls
  if (entry.body.everyone && now.everyone) calls.push(...callsToAll(bots))
  const answered = reading.botAuthors.get(entry.body.replyTo ?? 0)
  return answered === undefined ? calls : [...calls, { bot: answered, by: 'reply_to' }]
}

function callsToAll(bots: readonly RosterBot[]): readonly Call[] {
  return bots.filter((bot) => !bot.muted).map((bot) => ({ bot: bot.id, by: 'mention' }))
}

function names(
  text: { readonly mentions: readonly ActorId[]; readonly everyone: boolean },
  bot: ActorId,
): boolean {
  return text.everyone || text.mentions.includes(bot)
}

// A bot that has left still opens one, which is voided at once: the entry then says why nobody came.
function opensFor(call: Call, bots: readonly RosterBot[]): boolean {
  const bot = bots.find(({ id }) => id === call.bot)
  if (bot === undefined) return isAgentId(call.bot)
  return !bot.external && (call.by === 'asked' || bot.mode !== 'never')
}

function changeReason(request: BotRequest, changes: Changes): Voided['why'] | undefined {
  const message = request.message ?? request.entry
  if (changes.deleted.has(message)) return 'deleted'
  const edit = changes.edits.get(message)
  const isEdited = edit !== undefined && !names(edit.body, request.bot)
  return request.by === 'mention' && isEdited ? 'edited' : undefined
}

/** What a mute has voided stays void when the mute is over. */
function awayReason(
  { entry }: BotRequest,
  bot: RosterBot | undefined,
  writtenAt: string | undefined,
): Voided['why'] | undefined {
  if (bot === undefined) return 'left'
  if (bot.muted || entry <= bot.mutedAt) return 'muted'
  if (bot.mutedUntil === null || writtenAt === undefined) return undefined
  return Date.parse(writtenAt) < Date.parse(bot.mutedUntil) ? 'muted' : undefined
}
