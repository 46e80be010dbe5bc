import { toHouseId, toThreadId } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import { answerOf, forgetAsked, listAsked } from './asked-requests.ts'
import { beforeCall, settleCall, spendOfDecision } from './ledger.ts'

const houseId = toHouseId('hse_1')
const threadId = toThreadId('thr_1')
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }
const asked = { attempt: 1, candidates: {}, systemPrompt: 'a\ud800b', messages: [], tools: [] }

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  const callOf = async (callId: string, purpose: 'decide' | 'preview', days: number) => {
    const place = { houseId, threadId, decision: 1, botId: undefined }
    await beforeCall(db, { callId, ...place, purpose, model: callId, asked, most: 0 })
    await settleCall(db, callId, { usage, cost: 0.5, error: undefined, answered: 'yes' })
    await db.query(
      `update ledger set started_at = clock_timestamp() - $2 * interval '1 day' where call_id = $1`,
      [callId, days],
    )
  }
  const modelsOf = async (house = houseId) =>
    (await listAsked(db, { houseId: house, threadId }, 1)).map(({ model }) => model)

  test('requests are kept for thirty days, and what they cost for good', async () => {
    await callOf('old', 'decide', 30.01)
    await callOf('kept', 'decide', 29.99)
    await callOf('preview', 'preview', 0)
    expect(await modelsOf()).toEqual(['old', 'kept'])
    await forgetAsked(db)
    expect(await modelsOf()).toEqual(['kept'])
    const texts = await db.query(`select answered from ledger where call_id = 'old'`, [])
    expect(texts).toEqual([{ answered: null }])
    const spend = await spendOfDecision(db, { threadId, decision: 1, purpose: 'decide' })
    expect([spend.calls, spend.cost]).toEqual([2, 1])
  })

  test('another house reads none of them', async () => {
    await callOf('here', 'decide', 0)
    expect(await modelsOf(toHouseId('hse_2'))).toEqual([])
  })
})

test('of a long answer the first 16 KiB are kept, without half a character', () => {
  const partial = `x${'é'.repeat(10_000)}`
  const reply = { status: 'aborted', partial, usage, cost: 0 } as const
  expect(answerOf(reply)).toBe(`x${'é'.repeat(8_191)}`)
})
