import { beforeCall } from '@arbe/core/models/ledger'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { toHouseId, toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { eachEngine } from '../../../test/support/each-engine.ts'
import { readConfig } from './config.ts'
import { startBackstage } from './start-backstage.ts'

eachEngine((open) => {
  test('a worker that runs empties requests older than thirty days, and no younger one', async () => {
    const db = await open()
    const place = { houseId: toHouseId('hse_1'), threadId: toThreadId('thr_1'), decision: 1 }
    const asked = { attempt: 1, candidates: {}, systemPrompt: '', messages: [], tools: [] }
    for (const callId of ['old', 'young']) {
      const call = { ...place, callId, botId: undefined, purpose: 'decide', model: 'm' } as const
      await beforeCall(db, { ...call, asked, most: 0 })
    }
    await db.query(
      `update ledger set started_at = now() - interval '31 days' where call_id = 'old'`,
      [],
    )
    const bus = await openLiveBus(db)
    const errors: unknown[] = []
    const backstage = startBackstage({
      runtimes: new Map(),
      db,
      bus,
      store: createThreadDirectorStore(db, (hint) => bus.appended(hint)),
      models: { find: () => undefined, defaultName: 'none/none', names: [] },
      config: readConfig({ ARBE_SWEEP_MS: '20' }),
      onError: (error) => void errors.push(error),
    })
    const kept = () => db.query('select call_id from ledger where asked is not null', [])
    await expect.poll(kept).toEqual([{ call_id: 'young' }])
    await backstage.close()
    await bus.close()
    expect(errors).toEqual([])
  })
})
