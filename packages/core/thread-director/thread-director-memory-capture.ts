import { type Entry, toOffset } from '@arbe/sdk'
import { TAIL_MAX, UNREAD_MAX } from './thread-director-capture.ts'
import type { MemoryDirector, MemoryHouse, MemoryThread } from './thread-director-memory-house.ts'
import type { Capture } from './thread-director-port.ts'

/** What `director_capture` reads. */
export function captureInMemory(
  house: MemoryHouse,
  thread: MemoryThread,
  director: MemoryDirector,
): Capture {
  const waking = thread.entries.filter(({ wakes, seq }) => wakes && seq > director.decidedOffset)
  const unread = waking.slice(0, UNREAD_MAX)
  return {
    rev: house.queue.get(thread.id)?.rev,
    rosterVersion: rosterVersionOf(thread),
    decidedOffset: director.decidedOffset,
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
    tail: tailOf(thread.entries, director, unread),
  }
}

export function rosterVersionOf({ settings, people, bots }: MemoryThread): string {
  return JSON.stringify([{ ...settings, title: '' }, people, bots])
}

function tailOf(
  entries: readonly Entry[],
  { decidedOffset }: MemoryDirector,
  unread: readonly Entry[],
): readonly Entry[] {
  const from = entries.filter(isConversation).at(-TAIL_MAX)?.seq ?? 0
  const wanted = new Set<number>(unread.flatMap(placesIn))
  return entries.filter(
    (entry) =>
      wanted.has(entry.seq) ||
      (isConversation(entry) && entry.seq >= from) ||
      (isChange(entry) && entry.seq > decidedOffset),
  )
}

function isConversation(entry: Entry): boolean {
  return (
    entry.readable ||
    isChange(entry) ||
    entry.kind === 'thread.ask' ||
    entry.kind === 'thread.continue'
  )
}

function isChange({ kind }: Entry): boolean {
  return kind === 'chat.edit' || kind === 'chat.delete'
}

/** The entry itself and what it speaks of. */
function placesIn(entry: Entry): readonly number[] {
  if (entry.kind === 'chat') return [entry.seq, entry.body.replyTo ?? entry.seq]
  if (entry.kind === 'chat.edit') return [entry.seq, entry.body.target]
  return [entry.seq]
}
