import { toThreadId } from '@arbe/sdk'
import { beforeAll, beforeEach, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import { dueThreads } from './dispatch-queue.ts'
import { wakeThread } from './wake-thread.ts'

const thread = toThreadId('thr_1')

eachEngine((open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })
  beforeEach(async () => {
    await database.query('delete from dispatch')
  })

  async function rev(): Promise<number | undefined> {
    const [row] = await database.query<{ rev: number }>('select rev from dispatch')
    return row?.rev
  }

  test('many wakes of a thread are one row, and each moves its rev', async () => {
    const revs: (number | undefined)[] = []
    for (let n = 0; n < 3; n++) {
      await wakeThread(database, thread)
      revs.push(await rev())
    }
    expect(new Set(revs).size).toBe(3)
    expect(await dueThreads(database, 10)).toEqual(['thr_1'])
  })

  test('a row that was deleted and born again repeats no rev', async () => {
    const revs: (number | undefined)[] = []
    for (let n = 0; n < 5; n++) {
      await wakeThread(database, thread)
      revs.push(await rev())
      await database.query('delete from dispatch')
    }
    expect(new Set(revs).size).toBe(5)
  })

  test('a wake brings a thread that waits for its time forward', async () => {
    await database.query(
      `insert into dispatch (key, run_at) values ('thread:thr_1', clock_timestamp() + '1 hour')`,
    )
    expect(await dueThreads(database, 10)).toEqual([])
    await wakeThread(database, thread)
    expect(await dueThreads(database, 10)).toEqual(['thr_1'])
  })

  test('a wake of a thread that backs off keeps its time and moves its rev', async () => {
    await database.query(
      `insert into dispatch (key, run_at, attempts)
        values ('thread:thr_1', clock_timestamp() + '1 hour', 1)`,
    )
    const before = await rev()
    await wakeThread(database, thread)
    expect(await dueThreads(database, 10)).toEqual([])
    expect(await rev()).not.toBe(before)
  })

  test('threads are due earliest first, and other keys are no threads', async () => {
    await database.query(
      `insert into dispatch (key, run_at) values
        ('thread:late', clock_timestamp() - interval '1 minute'),
        ('launch:run_1', clock_timestamp() - interval '1 hour'),
        ('thread:early', clock_timestamp() - interval '2 minutes'),
        ('thread:later', clock_timestamp() - interval '1 second')`,
    )
    expect(await dueThreads(database, 2)).toEqual(['early', 'late'])
  })

  test('a wake that rolls back leaves nothing due', async () => {
    const failing = database.transaction(async (tx) => {
      await wakeThread(tx, thread)
      throw new Error('the append failed')
    })
    await expect(failing).rejects.toThrow('the append failed')
    expect(await dueThreads(database, 10)).toEqual([])
  })
})
