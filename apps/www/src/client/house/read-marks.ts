import type { Entry, ThreadSummary } from '@arbe/sdk'

/** How far this browser's person has read each thread; a thread without a mark is unread from its start. */
export type ReadMarks = ReadonlyMap<string, number>

export function isUnread(thread: ThreadSummary, marks: ReadMarks): boolean {
  return thread.newsTo > (marks.get(thread.id) ?? 0)
}

export function markRead(marks: ReadMarks, threadId: string, seq: number): ReadMarks {
  return seq > (marks.get(threadId) ?? 0) ? new Map([...marks, [threadId, seq]]) : marks
}

/** Whoever has read all before it has also read an entry that says nothing new to them. */
export function passUnheard(marks: ReadMarks, entry: Entry, me: string | undefined): ReadMarks {
  const isNews = entry.kind === 'chat' && entry.authorId !== me && !isImported(entry)
  const isNext = marks.get(entry.threadId) === entry.seq - 1
  return !isNews && isNext ? markRead(marks, entry.threadId, entry.seq) : marks
}

/** Said elsewhere, long before it came here. */
export function isImported(entry: Entry): boolean {
  return entry.kind === 'chat' && entry.body.saidAt !== undefined
}

const KEY = 'read'

/** In a browser that is new to the house, what stands there already counts as read. */
export function loadMarks(storage: Storage, threads: readonly ThreadSummary[]): ReadMarks {
  const kept = storage.getItem(KEY)
  return kept === null ? new Map(threads.map(({ id, head }) => [id, head])) : parseMarks(kept)
}

export function keepMarks(storage: Storage, marks: ReadMarks): void {
  storage.setItem(KEY, JSON.stringify(Object.fromEntries(marks)))
}

function parseMarks(kept: string): ReadMarks {
  const marks: unknown = JSON.parse(kept)
  if (typeof marks !== 'object' || marks === null) return new Map()
  return new Map(
    Object.entries(marks).flatMap(([id, seq]) => (typeof seq === 'number' ? [[id, seq]] : [])),
  )
}
