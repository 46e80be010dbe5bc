import { toHouseId, toOffset, toThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { requireOrSkip } from '../../../test/support/require.ts'
import { addThread, chatDraft } from '../../../test/support/threads.ts'
import type { Database, Executor } from '../db/executor.ts'
import { openDatabase } from '../db/open-db.ts'
import { groupAppender } from './group-appender.ts'
import type { AppendHint } from './live-bus.ts'
import { appendEntry, readAfter, type ThreadRef } from './thread-stream.ts'

const nobody = (): void => undefined

eachEngine((open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })

  /** The database, counting its statements. */
  function counting(): { readonly executor: Executor; readonly sent: string[] } {
    const sent: string[] = []
    const executor: Executor = {
      query: (sql, params) => {
        sent.push(sql)
        return database.query(sql, params)
      },
    }
    return { executor, sent }
  }

  test('appends that wait go together, each with its own answer', async () => {
    const thread = await addThread(database, 'thr_group')
    const { executor, sent } = counting()
    const append = groupAppender(executor, nobody)
    const nowhere = { ...thread, threadId: toThreadId('thr_nowhere') }
    const answers = await Promise.all([
      append(chatDraft(thread, 'a')),
      append(chatDraft(nowhere, 'a')),
      append(chatDraft(thread, 'b')),
      append(chatDraft(thread, 'a')),
      append(chatDraft(thread, 'a', 'other')),
    ])
    expect(answers).toMatchObject([
      { status: 'ok', seq: 1 },
      { status: 'gone' },
      { status: 'ok', seq: 2 },
      { status: 'duplicate', seq: 1 },
      { status: 'conflict' },
    ])
    expect(sent).toHaveLength(1)
  })

  test('what one caller sends keeps its order across batches', async () => {
    const thread = await addThread(database, 'thr_order')
    const append = groupAppender(database, nobody)
    const keys = Array.from({ length: 450 }, (_, n) => `${n}`)
    await Promise.all(keys.map((key) => append(chatDraft(thread, key))))
    const { entries } = await readAfter(database, thread, { after: toOffset(0), limit: 1_000 })
    expect(entries.map(({ key }) => key)).toEqual(keys)
  })

  test('an entry the database refuses fails alone', async () => {
    const thread = await addThread(database, 'thr_alone')
    await database.exec(
      `alter table entries add constraint no_poison check (body ->> 'text' <> 'poison')`,
    )
    const append = groupAppender(database, nobody)
    const answers = await Promise.allSettled(
      ['a', 'poison', 'b'].map((text) => append(chatDraft(thread, text))),
    )
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { status: 'ok', seq: 1 } },
      { status: 'rejected', reason: { message: expect.stringContaining('no_poison') } },
      { status: 'fulfilled', value: { status: 'ok', seq: 2 } },
    ])
  })

  test('a draft that is no entry is refused before it can hold up others', async () => {
    const thread = await addThread(database, 'thr_refused')
    const append = groupAppender(database, nobody)
    const bad = append(chatDraft(thread, 'bad', 'a\0'))
    const good = append(chatDraft(thread, 'good'))
    await expect(bad).rejects.toThrow('U+0000')
    expect(await good).toMatchObject({ status: 'ok', seq: 1 })
  })

  test('what is new is heard of once, after it can be read', async () => {
    const thread = await addThread(database, 'thr_heard')
    const heard: AppendHint[] = []
    const append = groupAppender(database, (hint) => heard.push(hint))
    await append(chatDraft(thread, 'a'))
    await append(chatDraft(thread, 'a'))
    await append({ ...chatDraft(thread, 'b'), wakes: false })
    expect(heard).toEqual([
      { threadId: 'thr_heard', seq: 1, wakes: true },
      { threadId: 'thr_heard', seq: 2, wakes: false },
    ])
  })
})

test('a database that does not answer fails all that wait, once, and the lane goes on', async () => {
  const thread = { houseId: toHouseId('hse_1'), threadId: toThreadId('thr_1') }
  let calls = 0
  const executor: Executor = {
    query: () => {
      calls += 1
      return Promise.reject(new Error('connection lost'))
    },
  }
  const append = groupAppender(executor, nobody)
  const answers = await Promise.allSettled([
    append(chatDraft(thread, 'a')),
    append(chatDraft(thread, 'b')),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(calls).toBe(1)
  await expect(append(chatDraft(thread, 'c'))).rejects.toThrow('connection lost')
})

describe.skipIf(requireOrSkip('postgres'))('a thread that another transaction holds', () => {
  test('delays what is said in it, in its order, and nothing else', async () => {
    const made = await createDatabase()
    const database = await openDatabase({ url: made.url })
    const held = await addThread(database, 'thr_held')
    const free = await addThread(database, 'thr_free')
    const append = groupAppender(database, nobody)
    const order: string[] = []
    const say = async (thread: ThreadRef, key: string): Promise<void> => {
      await append(chatDraft(thread, key))
      order.push(key)
    }
    const waiting: Promise<void>[] = []
    await database.transaction(async (tx) => {
      await appendEntry(tx, chatDraft(held, 'first'))
      waiting.push(say(held, 'a'), say(free, 'b'), say(held, 'c'))
      await say(free, 'd')
      waiting.push(say(held, 'e'))
      // Longer than one thread may keep another one waiting.
      await tx.query('select pg_sleep(0.3)')
      await say(free, 'f')
      expect(order).toEqual(['b', 'd', 'f'])
    })
    await Promise.all(waiting)
    const { entries } = await readAfter(database, held, { after: toOffset(0), limit: 10 })
    expect(entries.map(({ key }) => key)).toEqual(['first', 'a', 'c', 'e'])
    await say(held, 'g')
    expect(order).toEqual(['b', 'd', 'f', 'a', 'c', 'e', 'g'])
    await database.close()
    await made.drop()
  })
})
