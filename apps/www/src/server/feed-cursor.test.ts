import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Offset, type ThreadId, toOffset, toThreadId } from '@arbe/sdk'
import { FeedCursor, PLACES_MAX, WINDOW_MS, parseFeedCursor } from './feed-cursor.ts'

interface Written {
  readonly threadId: ThreadId
  readonly seq: Offset
  readonly at: number
}

const START = 1_900_000_000_000

/** What the server's query answers: where a thread goes on for a reader that comes back with this cursor. */
function goesOnAfter(cursor: FeedCursor, threadId: ThreadId, entries: readonly Written[]): number {
  const place = cursor.seqs()[threadId]
  if (place !== undefined) return place
  return entries.findLast(({ at }) => at <= cursor.horizon)?.seq ?? 0
}

const send = (cursor: FeedCursor, { threadId, seq, at }: Written): void =>
  cursor.advance({ threadId, seq, createdAt: new Date(at).toISOString() })

const steps = fc.array(
  fc.record({
    thread: fc.integer({ min: 0, max: 5 }),
    /** Time that passes before the next entry is written. */
    pause: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: WINDOW_MS * 3 })),
    /** How many of those that wait in other threads are sent before it. */
    lag: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 60 },
)

test('whenever a reader leaves, it goes on after exactly what it was sent', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 3 }), (all, leavesEvery) => {
      let cursor = new FeedCursor(START)
      let now = START
      const threads = new Map<ThreadId, Written[]>()
      const sent = new Map<ThreadId, number>()
      const waiting: Written[] = []

      const sendFirst = (): void => {
        const [entry] = waiting.splice(0, 1)
        if (entry === undefined) return
        send(cursor, entry)
        sent.set(entry.threadId, entry.seq)
      }

      for (const [index, { thread, pause, lag }] of all.entries()) {
        now += pause
        const threadId = toThreadId(`thr_${thread}`)
        const entries = threads.get(threadId) ?? []
        threads.set(threadId, entries)
        const entry = { threadId, seq: toOffset(entries.length + 1), at: now }
        entries.push(entry)
        waiting.push(entry)
        // Nothing waits longer than the window allows.
        while (waiting.length > lag || (waiting[0]?.at ?? now) < now - WINDOW_MS / 2) sendFirst()
        if (leavesEvery > 0 && index % leavesEvery === 0)
          cursor = parseFeedCursor(cursor.toText()) ?? cursor
      }

      for (const [threadId, entries] of threads)
        expect(goesOnAfter(cursor, threadId, entries)).toBe(sent.get(threadId) ?? 0)
    }),
  )
})

test('a thread that has not caught up keeps its place while others go far ahead of it', () => {
  const cursor = new FeedCursor(START)
  const behind = toThreadId('thr_behind')
  cursor.put(behind, { seq: toOffset(3), at: START, behindUntil: toOffset(9) })
  send(cursor, { threadId: toThreadId('thr_ahead'), seq: toOffset(1), at: START + WINDOW_MS * 10 })
  expect(cursor.seqs()[behind]).toBe(3)
  send(cursor, { threadId: behind, seq: toOffset(9), at: START + WINDOW_MS })
  expect(cursor.seqs()[behind]).toBeUndefined()
})

test('a cursor stays short, however many threads speak at once', () => {
  const cursor = new FeedCursor(START)
  for (let n = 0; n < 1_000; n += 1)
    send(cursor, {
      threadId: toThreadId(`thr_${'a'.repeat(30)}${n}`),
      seq: toOffset(n + 1),
      at: START + n,
    })
  expect(Object.keys(cursor.seqs())).toHaveLength(PLACES_MAX)
  expect(cursor.toText().length).toBeLessThan(6_500)
})

test('a cursor reads back as it was written, and nothing else is one', () => {
  const cursor = new FeedCursor(START)
  send(cursor, { threadId: toThreadId('thr_a'), seq: toOffset(7), at: START + 5 })
  expect(parseFeedCursor(cursor.toText())?.toText()).toBe(cursor.toText())
  for (const text of [
    '',
    '1',
    '2.abc',
    '1.abc.thr_a~1',
    '1.abc.thr_a~1~1~1',
    `1.${'a'.repeat(12)}`,
  ])
    expect(parseFeedCursor(text)).toBeUndefined()
})
