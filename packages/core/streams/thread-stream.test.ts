import { toActorId, toHouseId, toOffset, toThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { addThread, chatDraft } from '../../../test/support/threads.ts'
import type { Database, Executor } from '../db/executor.ts'
import { dueThreads } from '../jobs/dispatch-queue.ts'
import { wakeThread } from '../jobs/wake-thread.ts'
import { toEntryJson } from './entry-draft.ts'
import { readCursors } from './read-cursors.ts'
import {
  appendEntries,
  appendEntry,
  headOf,
  headsOf,
  readAfter,
  readBefore,
  type ThreadRef,
} from './thread-stream.ts'

const start = toOffset(0)

eachEngine((open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })

  const seqs = async (thread: ThreadRef): Promise<readonly number[]> => {
    const { entries } = await readAfter(database, thread, { after: start, limit: 1_000 })
    return entries.map(({ seq }) => seq)
  }
  const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, n) => n + 1)

  test('[I6] offsets are dense and in order under sixteen writers', async () => {
    const thread = await addThread(database, 'thr_dense')
    const writers = upTo(16).map(async (writer) => {
      for (const n of upTo(10)) await appendEntry(database, chatDraft(thread, `${writer}:${n}`))
    })
    await Promise.all(writers)
    expect(await seqs(thread)).toEqual(upTo(160))
    expect(await headOf(database, thread)).toBe(160)
  })

  test('[I6] offsets stay dense where batches and single appends meet', async () => {
    const threads = [await addThread(database, 'thr_b1'), await addThread(database, 'thr_b2')]
    const writers = upTo(8).flatMap((writer) => [
      ...threads.map((thread) => appendEntry(database, chatDraft(thread, `single ${writer}`))),
      appendEntries(
        database,
        // Each batch names the threads in another order.
        (writer % 2 === 0 ? threads : threads.toReversed()).flatMap((thread) => [
          toEntryJson(chatDraft(thread, `batch ${writer}`)),
          toEntryJson(chatDraft(thread, `again ${writer}`)),
        ]),
      ),
    ])
    await Promise.all(writers)
    expect(await Promise.all(threads.map(seqs))).toEqual([upTo(24), upTo(24)])
  })

  test('[I5] an entry reads back as it was written', async () => {
    const thread = await addThread(database, 'thr_same')
    const text = '𝄞 "quoted" \\u0041 \u2028 é\t'
    const appended = await appendEntry(database, { ...chatDraft(thread, 'k', text), hops: 2 })
    const page = await readAfter(database, thread, { after: start, limit: 10 })
    expect(page).toEqual({
      entries: [
        {
          threadId: 'thr_same',
          seq: 1,
          key: 'k',
          kind: 'chat',
          authorId: 'usr_ann',
          authorKind: 'person',
          wakes: true,
          readable: true,
          causedBy: null,
          hops: 2,
          body: { text, mentions: [], everyone: false },
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
      through: 1,
      skipped: 0,
    })
    expect(appended).toEqual({ status: 'ok', seq: 1, createdAt: page.entries[0]?.createdAt })
  })

  describe.each([
    ['one by one', (draft) => appendEntry(database, draft)],
    ['in a batch', async (draft) => (await appendEntries(database, [toEntryJson(draft)]))[0]],
  ] as const satisfies readonly [string, (draft: ReturnType<typeof chatDraft>) => unknown][])(
    'a key, %s',
    (way, append) => {
      test('the same entry again is answered with the first one and writes nothing', async () => {
        const thread = await addThread(database, `thr_dup ${way}`)
        const first = await append(chatDraft(thread, 'k', 'hello'))
        await append(chatDraft(thread, 'other'))
        const again = await append(chatDraft(thread, 'k', 'hello'))
        expect(again).toEqual({ ...first, status: 'duplicate' })
        expect(await seqs(thread)).toEqual([1, 2])
      })

      test('another body, kind or author under the same key is a conflict', async () => {
        const thread = await addThread(database, `thr_conflict ${way}`)
        const draft = chatDraft(thread, 'k', 'hello')
        await append(draft)
        const answers = [
          await append({ ...draft, body: { text: 'bye' } }),
          await append({ ...draft, body: { text: 'hello', everyone: true } }),
          await append({ ...draft, authorId: toActorId('usr_eve') }),
        ]
        const conflict = { status: 'conflict' }
        expect(answers).toEqual([conflict, conflict, conflict])
        expect(await seqs(thread)).toEqual([1])
      })

      test('the same key in another thread is another key', async () => {
        const one = await addThread(database, `thr_own_1 ${way}`)
        const two = await addThread(database, `thr_own_2 ${way}`)
        await append(chatDraft(one, 'k'))
        expect(await append(chatDraft(two, 'k'))).toMatchObject({ status: 'ok', seq: 1 })
      })

      test('a thread that does not exist, or stands in another house, is gone', async () => {
        const thread = await addThread(database, `thr_here ${way}`)
        const nowhere = { ...thread, threadId: toThreadId('thr_nowhere') }
        const elsewhere = { ...thread, houseId: toHouseId('hse_other') }
        expect(await append(chatDraft(nowhere, 'k'))).toEqual({ status: 'gone' })
        expect(await append(chatDraft(elsewhere, 'k'))).toEqual({ status: 'gone' })
        expect(await headOf(database, thread)).toBe(0)
      })

      test('only a waking entry moves the wake head and the queue', async () => {
        const thread = await addThread(database, `thr_wake ${way}`)
        const state = async (): Promise<unknown> =>
          database.query(
            `select t.head, t.wake_head, q.key from threads t
              left join dispatch q on q.key = 'thread:' || t.id where t.id = $1`,
            [thread.threadId],
          )
        await append({ ...chatDraft(thread, 'quiet'), wakes: false })
        expect(await state()).toEqual([{ head: 1, wake_head: 0, key: null }])
        await append(chatDraft(thread, 'loud'))
        await append({ ...chatDraft(thread, 'quiet again'), wakes: false })
        const key = `thread:${thread.threadId}`
        expect(await state()).toEqual([{ head: 3, wake_head: 2, key }])
      })
    },
  )

  test('twenty callers with one key write one entry, whichever way they take', async () => {
    const thread = await addThread(database, 'thr_race')
    const draft = chatDraft(thread, 'k')
    const answers = await Promise.all(
      upTo(20).map(async (n) =>
        n % 2 === 0
          ? [await appendEntry(database, draft)]
          : appendEntries(database, [toEntryJson(draft), toEntryJson(draft)]),
      ),
    )
    const statuses = answers.flat().map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(29).fill('duplicate'), 'ok'])
    expect(await seqs(thread)).toEqual([1])
  })

  test('a batch answers each of its entries in its place', async () => {
    const thread = await addThread(database, 'thr_batch')
    const gone = { ...thread, threadId: toThreadId('thr_no') }
    const answers = await appendEntries(
      database,
      [
        chatDraft(thread, 'a'),
        chatDraft(gone, 'a'),
        chatDraft(thread, 'a', 'other text'),
        chatDraft(thread, 'b'),
        chatDraft(thread, 'a'),
      ].map(toEntryJson),
    )
    expect(answers).toMatchObject([
      { status: 'ok', seq: 1 },
      { status: 'gone' },
      { status: 'conflict' },
      { status: 'ok', seq: 2 },
      { status: 'duplicate', seq: 1 },
    ])
  })

  test('pages lead through the stream both ways', async () => {
    const thread = await addThread(database, 'thr_pages')
    await appendEntries(
      database,
      upTo(7).map((n) => toEntryJson(chatDraft(thread, `${n}`))),
    )
    const pages = [
      await readAfter(database, thread, { after: toOffset(2), limit: 3 }),
      await readAfter(database, thread, { after: toOffset(7), limit: 3 }),
      await readBefore(database, thread, { before: toOffset(6), limit: 3 }),
      await readBefore(database, thread, { before: toOffset(1), limit: 3 }),
    ]
    expect(pages.map(({ entries, through }) => [entries.map(({ seq }) => seq), through])).toEqual([
      [[3, 4, 5], 5],
      [[], 7],
      [[3, 4, 5], 3],
      [[], 1],
    ])
  })

  test('an entry of a kind this arbe does not know is skipped and counted', async () => {
    const thread = await addThread(database, 'thr_future')
    await appendEntry(database, chatDraft(thread, 'a'))
    await appendEntry(database, chatDraft(thread, 'b'))
    await database.query(
      `update entries set kind = 'thread.hologram' where thread_id = 'thr_future' and seq = 2`,
    )
    const page = await readAfter(database, thread, { after: start, limit: 10 })
    expect([page.entries.length, page.through, page.skipped]).toEqual([1, 2, 1])
  })

  test('one trip reads after several cursors, also two of one thread', async () => {
    const one = await addThread(database, 'thr_c1')
    const two = await addThread(database, 'thr_c2')
    await appendEntries(
      database,
      upTo(3).flatMap((n) => [one, two].map((thread) => toEntryJson(chatDraft(thread, `${n}`)))),
    )
    const cursors = [
      { ...two, after: toOffset(1) },
      { ...one, after: toOffset(0) },
      { ...two, after: toOffset(3) },
      { ...two, after: toOffset(2) },
    ]
    const pages = await readCursors(database, cursors, 2)
    expect(
      pages.map(({ entries, through }) => [
        entries.map(({ threadId, seq, key }) => `${threadId} ${seq} ${key}`),
        through,
      ]),
    ).toEqual([
      [['thr_c2 2 2', 'thr_c2 3 3'], 3],
      [['thr_c1 1 1', 'thr_c1 2 2'], 2],
      [[], 3],
      [['thr_c2 3 3'], 3],
    ])
  })

  // On the embedded engine a statement on the database itself would wait for the transaction that waits for it.
  test('every function of the stream runs inside a transaction', { timeout: 2_000 }, async () => {
    const thread = await addThread(database, 'thr_tx')
    const calls: readonly ((tx: Executor) => Promise<unknown>)[] = [
      (tx) => appendEntry(tx, chatDraft(thread, 'a')),
      (tx) => appendEntries(tx, [toEntryJson(chatDraft(thread, 'b'))]),
      (tx) => readAfter(tx, thread, { after: start, limit: 1 }),
      (tx) => readBefore(tx, thread, { before: toOffset(3), limit: 1 }),
      (tx) => readCursors(tx, [{ ...thread, after: start }], 1),
      (tx) => headOf(tx, thread),
      (tx) => headsOf(tx, [thread]),
      (tx) => wakeThread(tx, thread.threadId),
      (tx) => dueThreads(tx, 1),
    ]
    await database.transaction(async (tx) => {
      for (const call of calls) await call(tx)
    })
    expect(await headOf(database, thread)).toBe(2)
  })
})
