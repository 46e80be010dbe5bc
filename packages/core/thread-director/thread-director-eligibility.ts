import type { ActorId, BotRequest, Exclusion } from '@arbe/sdk'
import type { DirectorView } from './thread-director-entry-view.ts'
import type { RosterBot } from './thread-director-port.ts'

/** Why a bot that is named cannot answer. */
export type Unavailable = 'left' | 'muted' | 'external' | 'never' | 'turn_limit'

/** Turns count from the last word of a person, whatever came of them. */
export function isAtLimit(view: DirectorView, bot: ActorId): boolean {
  const own = view.turns.filter((turn) => turn.bot === bot)
  return own.length >= view.thread.limitPerBot || view.turns.length >= view.thread.limitPerThread
}

export function unavailable(view: DirectorView, id: ActorId): Unavailable | undefined {
  const bot = view.bots.find((one) => one.id === id)
  if (bot === undefined) return 'left'
  if (bot.muted) return 'muted'
  if (bot.external) return 'external'
  if (bot.mode === 'never') return 'never'
  return isAtLimit(view, id) ? 'turn_limit' : undefined
}

/** A person's ask is an order: neither mode nor limit stands against it, now or as a debt. */
export function isServable(view: DirectorView, request: BotRequest): boolean {
  const why = unavailable(view, request.bot)
  if (why === undefined) return true
  return request.by === 'asked' && (why === 'never' || why === 'turn_limit')
}

/** Oldest first. A limit or a mode blocks a request and leaves it open. */
export function servableRequests(view: DirectorView): readonly BotRequest[] {
  return view.requests.filter((request) => isServable(view, request))
}

/** Nothing is left to decide: the thread may rest. */
export function isQuiet(view: DirectorView): boolean {
  return !view.covers && servableRequests(view).length === 0
}

/** Why a bot that nobody named may not be chosen. The limit comes last: it is named only where nothing else stands in the way. */
export function exclusionOf(view: DirectorView, bot: RosterBot): Exclusion | undefined {
  if (bot.external) return 'external'
  if (bot.muted) return 'muted'
  if (bot.mode === 'never') return 'never'
  if (bot.mode === 'mention') return 'mention_only'
  if (view.passers.includes(bot.id)) return 'passed'
  if (isSoleAuthor(view, bot.id)) return 'author'
  return isAtLimit(view, bot.id) ? 'turn_limit' : undefined
}

/** When what stands against a bot ends by itself. */
export function endOf(view: DirectorView, id: ActorId, why: string): { readonly until?: string } {
  const until = view.bots.find((bot) => bot.id === id)?.mutedUntil ?? null
  return why === 'muted' && until !== null ? { until } : {}
}

export function eligibleBots(view: DirectorView): readonly RosterBot[] {
  return view.bots.filter((bot) => exclusionOf(view, bot) === undefined)
}

function isSoleAuthor(view: DirectorView, bot: ActorId): boolean {
  return view.unread.length > 0 && view.unread.every((entry) => entry.authorId === bot)
}
