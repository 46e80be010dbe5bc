import { type Offset, toOffset } from '@arbe/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { addThread, chatDraft } from '../../../test/support/threads.ts'
import type { Database, Executor } from '../db/executor.ts'
import { groupAppender } from './group-appender.ts'
import { type LiveBus, openLiveBus } from './live-bus.ts'
import { openLiveTail, type TailBatch, type TailReader } from './live-tail.ts'

const start = toOffset(0)
const unheard: Pick<LiveBus, 'listen'> = { listen: () => () => undefined }
const fail = (error: unknown): never => {
  throw error
}

/** A reader that keeps what it gets and can be awaited. */
function collector(takes: (batch: TailBatch) => boolean = () => true) {
  const got: string[] = []
  const batches: TailBatch[] = []
  let dropped = 0
  let look: () => void = () => undefined
  const reader: TailReader = {
    deliver(batch) {
      if (!takes(batch)) return false
      batches.push(batch)
      got.push(...batch.entries.map(({ threadId, seq }) => `${threadId} ${seq}`))
      look()
      return true
    },
    onDropped() {
      dropped += 1
      look()
    },
  }
  const until = (isDone: () => boolean): Promise<void> => {
    const done = Promise.withResolvers<void>()
    look = () => {
      if (isDone()) done.resolve()
    }
    look()
    return done.promise
  }
  return {
    reader,
    got,
    batches,
    dropped: () => dropped,
    has: (count: number) => until(() => got.length >= count),
    isDropped: () => until(() => dropped > 0),
  }
}

/** A database whose answer to the next read of entries is held back until it is let go. */
function holding(database: Database) {
  const arrived = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  let isHeld = false
  const executor: Executor = {
    async query<Row extends object>(sql: string, params?: readonly unknown[]) {
      const rows = await database.query<Row>(sql, params)
      if (!isHeld && sql.includes('from entries')) {
        isHeld = true
        arrived.resolve()
        await letGo.promise
      }
      return rows
    },
  }
  return { executor, arrived: arrived.promise, letGo: () => letGo.resolve() }
}

// Too long for a test to wait for: what arrives did so without looking around.
const NEVER_MS = 3_600_000

function names(thread: string, from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => `${thread} ${from + n}`)
}

eachEngine((open) => {
  let database: Database
  let bus: LiveBus
  beforeAll(async () => {
    database = await open()
    bus = await openLiveBus(database)
  })
  afterAll(() => bus.close())

  const appender = () => groupAppender(database, (hint) => bus.appended(hint))

  test('[R-48] a reader that leaves and comes back loses nothing and doubles nothing', async () => {
    const thread = await addThread(database, 'thr_again')
    const append = appender()
    const tail = openLiveTail({ executor: database, bus, onError: fail, pollMs: NEVER_MS })
    const total = 300
    const writing = Promise.all(
      Array.from({ length: total }, (_, n) => append(chatDraft(thread, `${n}`))),
    )
    const got: string[] = []
    let position: Offset = start
    while (got.length < total) {
      const visit = collector()
      const tailing = tail.open(visit.reader)
      tailing.follow(thread, position)
      await visit.has(1)
      tailing[Symbol.dispose]()
      got.push(...visit.got)
      position = toOffset(got.length)
    }
    await writing
    expect(got).toEqual(names('thr_again', 1, total))
    await tail.close()
  })

  test('one reader follows many threads, each in its order, from where it wants', async () => {
    const one = await addThread(database, 'thr_m1')
    const two = await addThread(database, 'thr_m2')
    const append = appender()
    for (const key of ['a', 'b'])
      await Promise.all([one, two].map((t) => append(chatDraft(t, key))))
    const tail = openLiveTail({ executor: database, bus, onError: fail, pollMs: NEVER_MS })
    const visit = collector()
    const tailing = tail.open(visit.reader)
    tailing.follow(one, toOffset(1))
    tailing.follow(two, toOffset(2))
    await visit.has(1)
    for (const key of ['c', 'd'])
      await Promise.all([one, two].map((t) => append(chatDraft(t, key))))
    await visit.has(5)
    tailing.unfollow(one.threadId)
    await append(chatDraft(one, 'e'))
    await append(chatDraft(two, 'e'))
    await visit.has(6)
    expect(visit.got.filter((name) => name.startsWith('thr_m1'))).toEqual(names('thr_m1', 2, 4))
    expect(visit.got.filter((name) => name.startsWith('thr_m2'))).toEqual(names('thr_m2', 3, 5))
    await tail.close()
  })

  test('readers at the same offset get one and the same object', async () => {
    const thread = await addThread(database, 'thr_shared')
    const append = appender()
    const tail = openLiveTail({ executor: database, bus, onError: fail, pollMs: NEVER_MS })
    const visits = [collector(), collector()]
    for (const { reader } of visits) tail.open(reader).follow(thread, start)
    await append(chatDraft(thread, 'a'))
    await Promise.all(visits.map((visit) => visit.has(1)))
    expect(visits[0]?.batches[0]).toBe(visits[1]?.batches[0])
    await tail.close()
  })

  test('a reader far behind catches up while others stay live', async () => {
    const thread = await addThread(database, 'thr_far')
    const append = appender()
    await Promise.all(Array.from({ length: 950 }, (_, n) => append(chatDraft(thread, `${n}`))))
    const tail = openLiveTail({ executor: database, bus, onError: fail, pollMs: NEVER_MS })
    const live = collector()
    const late = collector()
    tail.open(live.reader).follow(thread, toOffset(950))
    tail.open(late.reader).follow(thread, start)
    await append(chatDraft(thread, 'new'))
    await Promise.all([live.has(1), late.has(951)])
    expect(live.got).toEqual(['thr_far 951'])
    expect(late.got).toEqual(names('thr_far', 1, 951))
    await tail.close()
  })

  test('a reader that cannot keep up is dropped and the others go on', async () => {
    const thread = await addThread(database, 'thr_slow')
    const append = appender()
    const tail = openLiveTail({ executor: database, bus, onError: fail, pollMs: NEVER_MS })
    const slow = collector(({ entries }) => entries.every(({ seq }) => seq < 2))
    const quick = collector()
    for (const { reader } of [slow, quick]) tail.open(reader).follow(thread, start)
    for (const key of ['a', 'b', 'c']) await append(chatDraft(thread, key))
    await Promise.all([slow.isDropped(), quick.has(3)])
    await append(chatDraft(thread, 'd'))
    await quick.has(4)
    expect(slow.dropped()).toBe(1)
    expect(quick.got).toEqual(names('thr_slow', 1, 4))
    await tail.close()
  })

  test('a reader that comes is served at once, all its pages, without any hint', async () => {
    const thread = await addThread(database, 'thr_unheard')
    const append = appender()
    await Promise.all(Array.from({ length: 450 }, (_, n) => append(chatDraft(thread, `${n}`))))
    const parts = { executor: database, bus: unheard, onError: fail, pollMs: NEVER_MS }
    const tail = openLiveTail(parts)
    const other = await addThread(database, 'thr_other')
    await append(chatDraft(other, 'a'))
    const first = collector()
    tail.open(first.reader).follow(other, start)
    await first.has(1)
    const second = collector()
    tail.open(second.reader).follow(thread, start)
    await second.has(450)
    expect(second.got).toEqual(names('thr_unheard', 1, 450))
    await tail.close()
  })

  test('an entry that commits while the log is being read is not lost', async () => {
    const thread = await addThread(database, 'thr_meanwhile')
    const append = appender()
    await append(chatDraft(thread, 'a'))
    const { executor, arrived, letGo } = holding(database)
    const tail = openLiveTail({ executor, bus, onError: fail, pollMs: NEVER_MS })
    const visit = collector()
    tail.open(visit.reader).follow(thread, start)
    await arrived
    await append(chatDraft(thread, 'b'))
    letGo()
    await visit.has(2)
    expect(visit.got).toEqual(names('thr_meanwhile', 1, 2))
    await tail.close()
  })

  test('a reader that begins anew while the log is being read gets nothing twice', async () => {
    const thread = await addThread(database, 'thr_anew')
    const append = appender()
    await append(chatDraft(thread, 'a'))
    const { executor, arrived, letGo } = holding(database)
    const tail = openLiveTail({ executor, bus, onError: fail, pollMs: NEVER_MS })
    const visit = collector()
    const tailing = tail.open(visit.reader)
    tailing.follow(thread, start)
    await arrived
    tailing.unfollow(thread.threadId)
    tailing.follow(thread, start)
    letGo()
    await visit.has(1)
    await append(chatDraft(thread, 'b'))
    await visit.has(2)
    expect(visit.got).toEqual(names('thr_anew', 1, 2))
    await tail.close()
  })

  test('[R-10] an entry whose hint was lost is found by looking', async () => {
    const thread = await addThread(database, 'thr_lost')
    const append = groupAppender(database, () => undefined)
    const tail = openLiveTail({ executor: database, bus: unheard, onError: fail, pollMs: 20 })
    const visit = collector()
    tail.open(visit.reader).follow(thread, start)
    await append(chatDraft(thread, 'a'))
    await visit.has(1)
    await append(chatDraft(thread, 'b'))
    await visit.has(2)
    expect(visit.got).toEqual(names('thr_lost', 1, 2))
    await tail.close()
  })

  test('a database that fails for a while delays the tail and loses nothing', async () => {
    const thread = await addThread(database, 'thr_down')
    const append = appender()
    const errors: unknown[] = []
    const flaky: Executor = {
      query: (sql, params) =>
        errors.length < 3 ? Promise.reject(new Error('no answer')) : database.query(sql, params),
    }
    const onError = (error: unknown): void => {
      errors.push(error)
    }
    const tail = openLiveTail({ executor: flaky, bus, onError, pollMs: 20 })
    const visit = collector()
    tail.open(visit.reader).follow(thread, start)
    await append(chatDraft(thread, 'a'))
    await visit.has(1)
    expect(visit.got).toEqual(['thr_down 1'])
    expect(errors).toHaveLength(3)
    await tail.close()
  })
})
