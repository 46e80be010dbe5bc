import { toOffset } from '@arbe/sdk'
import { tailOf, UNREAD_MAX } from './thread-director-capture.ts'
import type { MemoryDirector, MemoryHouse, MemoryThread } from './thread-director-memory-house.ts'
import type { Capture } from './thread-director-port.ts'

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
    rosterVersion: rosterVersionOf(thread),
    decidedOffset,
    d: director.d + 1,
    seen: toOffset(thread.entries.length),
    now: house.now(),
    thread: thread.settings,
    people: thread.people,
    bots: thread.bots,
    lastDecision: director.lastDecision,
    lastOutcome: director.lastOutcome,
    unread,
    more: waking.length > UNREAD_MAX,
    tail: tailOf(thread.entries, { decidedOffset, unread }),
  }
}

export function rosterVersionOf({ settings, people, bots }: MemoryThread): string {
  return JSON.stringify([{ ...settings, title: '' }, people, bots])
}
