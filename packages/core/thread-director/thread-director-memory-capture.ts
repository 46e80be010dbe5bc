import { toOffset } from '@arbe/sdk'
import { tailOf, UNREAD_MAX } from './thread-director-capture.ts'
import type { MemoryDirector, MemoryHouse, MemoryThread } from './thread-director-memory-house.ts'
import type { Capture, RosterBot } from './thread-director-port.ts'

/** What `director_capture` reads. */
export function captureInMemory(
  house: MemoryHouse,
  thread: MemoryThread,
  director: MemoryDirector,
): Capture {
  const { decidedOffset } = director
  const waking = thread.entries.filter(({ wakes, seq }) => wakes && seq > decidedOffset)
  const unread = waking.slice(0, UNREAD_MAX)
  return {
    rev: house.queue.get(thread.id)?.rev,
    rosterVersion: rosterVersionOf(house, thread),
    decidedOffset,
    d: director.d + 1,
    seen: toOffset(thread.entries.length),
    now: house.now(),
    thread: thread.settings,
    people: thread.people,
    bots: botsAt(thread.bots, house.now()),
    lastDecision: director.lastDecision,
    lastOutcome: director.lastOutcome,
    unread,
    more: waking.length > UNREAD_MAX,
    tail: tailOf(thread.entries, { decidedOffset, unread }),
  }
}

export function rosterVersionOf(
  house: MemoryHouse,
  { settings, people, bots }: MemoryThread,
): string {
  return JSON.stringify([{ ...settings, title: '' }, people, botsAt(bots, house.now())])
}

/** A mute with an end is over when that has passed, and nobody has to end it. */
export function botsAt(bots: readonly RosterBot[], now: number): readonly RosterBot[] {
  return bots.map((bot) =>
    bot.mutedUntil === null
      ? bot
      : { ...bot, muted: bot.muted && now < Date.parse(bot.mutedUntil) },
  )
}
