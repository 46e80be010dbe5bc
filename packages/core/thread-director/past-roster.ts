import type { ActorId, Entry, EntryOf, Offset, TriggerMode } from '@arbe/sdk'
import { botsAt } from './thread-director-memory-capture.ts'
import type { Capture, RosterBot, RosterPerson, ThreadSettings } from './thread-director-port.ts'

/** What the stream does not tell, as it is today: names, descriptions, a bot's own mode, the limits of the house. */
export interface RosterToday {
  readonly thread: ThreadSettings
  readonly people: readonly RosterPerson[]
  readonly bots: readonly Omit<RosterBot, 'muted' | 'mutedUntil' | 'mutedAt'>[]
}

interface Seat {
  readonly mode: TriggerMode | undefined
  readonly muted: boolean
  readonly mutedUntil: string | null
  readonly mutedAt: number
}

const FRESH: Seat = { mode: undefined, muted: false, mutedUntil: null, mutedAt: 0 }

/** Who was in the thread, and under which settings, when its entries ended at `seen`. */
export function rosterAt(
  today: RosterToday,
  entries: readonly Entry[],
  { seen, now }: { readonly seen: Offset; readonly now: number },
): Pick<Capture, 'thread' | 'people' | 'bots'> {
  const people = new Set<ActorId>()
  const seats = new Map<ActorId, Seat>()
  let thread = today.thread
  for (const entry of entries.filter(({ seq }) => seq <= seen)) {
    if (entry.kind === 'thread.people') {
      for (const id of entry.body.added) people.add(id)
      for (const id of entry.body.removed) people.delete(id)
    }
    if (entry.kind === 'thread.bots') {
      for (const id of entry.body.removed) seats.delete(id)
      for (const id of entry.body.added) seats.set(id, FRESH)
      for (const { bot, mode } of entry.body.modes) change(seats, bot, { mode })
    }
    if (entry.kind === 'thread.mute') change(seats, entry.body.bot, muteOf(entry))
    if (entry.kind === 'thread.banter') thread = { ...thread, banter: entry.body.on }
    if (entry.kind === 'thread.limits') {
      const { perBot: limitPerBot, perThread: limitPerThread } = entry.body
      thread = { ...thread, limitPerBot, limitPerThread }
    }
  }
  const bots = [...seats].flatMap(([id, { mode, ...seat }]) =>
    today.bots
      .filter((bot) => bot.id === id)
      .map((bot) => ({ ...bot, ...seat, mode: mode ?? bot.mode })),
  )
  return {
    thread,
    people: today.people.filter(({ id }) => people.has(id)),
    bots: botsAt(bots, now),
  }
}

function change(seats: Map<ActorId, Seat>, bot: ActorId, over: Partial<Seat>): void {
  const seat = seats.get(bot)
  if (seat !== undefined) seats.set(bot, { ...seat, ...over })
}

function muteOf({ seq, body: { muted, until } }: EntryOf<'thread.mute'>): Partial<Seat> {
  return muted
    ? { muted, mutedUntil: until ?? null, mutedAt: seq - 1 }
    : { muted, mutedUntil: null }
}
