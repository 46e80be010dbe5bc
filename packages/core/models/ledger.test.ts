import { NO_USAGE, toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import { fails, fakeModel, says } from '../../../test/support/fake-model.ts'
import { spentToday } from '../../../test/support/spent-today.ts'
import type { Database } from '../db/executor.ts'
import {
  beforeCall,
  type Books,
  createBooks,
  type LedgerCall,
  meteredModel,
  openCall,
  settleCall,
  spendOfDecision,
} from './ledger.ts'
import type { Model } from './model.ts'

eachEngine((open) => {
  let db: Database
  let books: Books
  let count = 0
  beforeAll(async () => {
    db = await open()
    books = createBooks(db)
  })

  const newCall = () => {
    count += 1
    return {
      houseId: toHouseId(`hse_${count}`),
      threadId: toThreadId(`thr_${count}`),
      decision: 7,
      botId: toActorId('agt_ann'),
      purpose: 'turn' as const,
    }
  }
  const newCallId = (): string => `call_${++count}`
  const request = { systemPrompt: '', messages: [], tools: [] }
  const call = (model: Model) => {
    const { signal } = new AbortController()
    return model.call(request, { signal, onEvent: () => undefined })
  }

  test('a row stands before the call is made', async () => {
    const of = newCall()
    const inner = fakeModel(async () => {
      expect(await spendOfDecision(db, of)).toEqual({
        calls: 1,
        unsettled: 1,
        usage: NO_USAGE,
        cost: 0,
      })
      return says('x')
    })
    await call(meteredModel(inner, { books, clock: fakeClock(), newCallId, call: of }))
    expect(inner.requests.length).toBe(1)
  })

  test('calls of a decision are summed, failed ones too, by what they were for', async () => {
    const of = newCall()
    const inner = fakeModel(says('x'), fails('503'), says('y'))
    const model = meteredModel(inner, { books, clock: fakeClock(), newCallId, call: of })
    await call(model)
    await call(model)
    await call(
      meteredModel(inner, {
        books,
        clock: fakeClock(),
        newCallId,
        call: { ...of, purpose: 'decide' },
      }),
    )
    await call(
      meteredModel(inner, { books, clock: fakeClock(), newCallId, call: { ...of, decision: 8 } }),
    )
    expect(await spendOfDecision(db, of)).toEqual({
      calls: 2,
      unsettled: 0,
      usage: { ...NO_USAGE, input: 10, output: 2 },
      cost: 0.25,
    })
    expect(await spentToday(db, of.houseId)).toBe(0.75)
  })

  test('the spend of another day is not of today', async () => {
    const of = newCall()
    const callId = newCallId()
    await beforeCall(db, { ...of, callId, model: 'm', most: 0 })
    await settleCall(db, callId, { usage: NO_USAGE, cost: 0.125, error: undefined })
    expect(await spentToday(db, of.houseId)).toBe(0.125)
    await db.query(
      `update ledger set started_at = started_at - interval '25 hours' where house_id = $1`,
      [of.houseId],
    )
    expect(await spentToday(db, of.houseId)).toBe(0)
  })

  test('a row tells which model was asked, for whom, and what went wrong', async () => {
    const of = newCall()
    const callId = newCallId()
    await beforeCall(db, { ...of, callId, model: 'far/tiny', most: 0 })
    await settleCall(db, callId, { usage: NO_USAGE, cost: 0.125, error: 'timeout' })
    const rows = await db.query(
      `select model, bot_id, purpose, cost::float8 as cost, error, settled_at is not null as settled from ledger where call_id = $1`,
      [callId],
    )
    expect(rows).toEqual([
      {
        model: 'far/tiny',
        bot_id: 'agt_ann',
        purpose: 'turn',
        cost: 0.125,
        error: 'timeout',
        settled: true,
      },
    ])
  })

  describe('a budget of the day', () => {
    const BUDGET = 1
    const MOST = 0.3

    const newHouse = async () => {
      const of = newCall()
      await db.query(`insert into houses (id, name, budget_per_day) values ($1, 'House', $2)`, [
        of.houseId,
        BUDGET,
      ])
      return { ...of, model: 'm', most: MOST }
    }
    const settle = (callId: string, cost: number) =>
      settleCall(db, callId, { usage: NO_USAGE, cost, error: undefined })

    test('[I9] is passed by one reservation at most, however many calls begin at once', async () => {
      const house = await newHouse()
      const began = await Promise.all(
        Array.from({ length: 20 }, () => beforeCall(db, { ...house, callId: newCallId() })),
      )
      expect(began.filter(Boolean).length).toBe(4)
      const [rows] = await db.query(`select count(*)::int as n from ledger where house_id = $1`, [
        house.houseId,
      ])
      expect(rows).toEqual({ n: 4 })
    })

    test('holds back no call of a model without a price', async () => {
      const house = await newHouse()
      await settle(await opened(house), BUDGET)
      expect(await beforeCall(db, { ...house, callId: newCallId(), most: 0 })).toBe(true)
      expect(await beforeCall(db, { ...house, callId: newCallId() })).toBe(false)
      expect(await books.isSpent(house.houseId)).toBe(true)
    })

    test('waits for the bills of calls that have reserved what is left of it', async () => {
      const house = await newHouse()
      const first = await opened({ ...house, most: BUDGET })
      expect(await books.isSpent(house.houseId)).toBe(false)
      const clock = fakeClock()
      const { signal } = new AbortController()
      const second = openCall(books, { ...house, callId: newCallId() }, { clock, signal })
      await expect.poll(() => clock.sleeps).toEqual([500])
      await settle(first, 0.1)
      expect(await clock.run(second)).toBe(true)
    })

    test('is not waited for beyond twenty seconds, nor after Stop', async () => {
      const house = await newHouse()
      await opened({ ...house, most: BUDGET })
      const clock = fakeClock()
      const call = { ...house, callId: newCallId() }
      const { signal } = new AbortController()
      expect(await clock.run(openCall(books, call, { clock, signal }))).toBe(false)
      expect(clock.sleeps.length).toBe(40)
      const late = AbortSignal.abort()
      expect(await clock.run(openCall(books, call, { clock, signal: late }))).toBe(false)
      expect(clock.sleeps.length).toBe(41)
    })

    // Shortly after midnight a call that began twenty minutes before is not of today.
    test.skipIf(new Date().getUTCHours() === 0)(
      'counts what was reserved for a call whose bill is lost as spent',
      async () => {
        const house = await newHouse()
        await opened({ ...house, most: BUDGET })
        await db.query(
          `update ledger set started_at = started_at - interval '21 minutes' where house_id = $1`,
          [house.houseId],
        )
        expect(await books.isSpent(house.houseId)).toBe(true)
        expect(await spentToday(db, house.houseId)).toBe(0)
      },
    )

    test('that is spent asks no model with a price, and says so', async () => {
      const house = await newHouse()
      await settle(await opened(house), BUDGET)
      const price = { ...NO_USAGE, output: 15 }
      const inner = { ...fakeModel(says('x')), price }
      const metered = meteredModel(inner, { books, clock: fakeClock(), newCallId, call: house })
      expect(await call(metered)).toMatchObject({
        status: 'failed',
        error: 'the budget of today is spent',
        retryable: false,
        unasked: true,
      })
      expect([inner.requests.length, (await spendOfDecision(db, house)).calls]).toEqual([0, 1])
    })

    async function opened(given: Omit<LedgerCall, 'callId'>): Promise<string> {
      const callId = newCallId()
      if (!(await beforeCall(db, { ...given, callId }))) throw new Error('there is room')
      return callId
    }
  })
})
