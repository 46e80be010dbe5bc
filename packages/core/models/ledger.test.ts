import { NO_USAGE, toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { fails, fakeModel, says } from '../../../test/support/fake-model.ts'
import type { Database } from '../db/executor.ts'
import {
  beforeCall,
  type Books,
  createBooks,
  meteredModel,
  settleCall,
  spendOfDecision,
  spendOfToday,
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
    await call(meteredModel(inner, { books, newCallId, call: of }))
    expect(inner.requests.length).toBe(1)
  })

  test('calls of a decision are summed, failed ones too, by what they were for', async () => {
    const of = newCall()
    const inner = fakeModel(says('x'), fails('503'), says('y'))
    const model = meteredModel(inner, { books, newCallId, call: of })
    await call(model)
    await call(model)
    await call(meteredModel(inner, { books, newCallId, call: { ...of, purpose: 'decide' } }))
    await call(meteredModel(inner, { books, newCallId, call: { ...of, decision: 8 } }))
    expect(await spendOfDecision(db, of)).toEqual({
      calls: 2,
      unsettled: 0,
      usage: { ...NO_USAGE, input: 10, output: 2 },
      cost: 0.25,
    })
    const today = await spendOfToday(db, of.houseId)
    expect([today.calls, today.cost]).toEqual([4, 0.75])
  })

  test('the spend of another day is not of today', async () => {
    const of = newCall()
    await beforeCall(db, { ...of, callId: newCallId(), model: 'm' })
    await db.query(
      `update ledger set started_at = started_at - interval '25 hours' where house_id = $1`,
      [of.houseId],
    )
    expect((await spendOfToday(db, of.houseId)).calls).toBe(0)
  })

  test('a row tells which model was asked, for whom, and what went wrong', async () => {
    const of = newCall()
    const callId = newCallId()
    await beforeCall(db, { ...of, callId, model: 'far/tiny' })
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
})
