import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { arrangeHouse, sayAgain } from './support/arranged-house.ts'
import { checkStream } from './support/check-stream.ts'
import { createDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { ofKind } from './support/read-turns.ts'
import { reportIn, startHouse } from './support/run-house.ts'

describe.skipIf(requireOrSkip('postgres'))('two workers and one thread', () => {
  let made: TestDatabase
  let db: Database
  beforeAll(async () => {
    made = await createDatabase()
    db = await openDatabase({ url: made.url })
  })
  afterAll(async () => {
    await db.close()
    await made.drop()
  })

  test(
    '[L9][I7] a worker that found the lease busy takes the thread when its dead holder’s lease lapses',
    { timeout: 120_000 },
    async () => {
      const house = await arrangeHouse(db, '@ada put a line into the log')
      const place = { url: made.url }
      const holder = startHouse({ place, leaseMs: LEASE_MS, silentFrom: 1 })
      await holder.heard((line) => line.type === 'call' && line.round === 1)
      const waiting = startHouse({ place, leaseMs: LEASE_MS })
      await waiting.heard(({ type }) => type === 'serving')
      await sayAgain(db, house, 'thanks')
      await untilFoundBusy()
      holder.send('SIGKILL')
      const [report] = reportIn(await waiting.ended).threads
      const entries = report?.entries ?? []
      expect(checkStream(entries, { quiet: true })).toEqual([])
      expect(
        ofKind(entries, 'signal.thread_director.outcome').map(({ body }) => body.status),
      ).toEqual(['replied'])
    },
  )

  /** The wake made the thread due at once; who then found it held has put it off to the end of the lease. */
  async function untilFoundBusy(): Promise<void> {
    for (;;) {
      const [row] = await db.query(`select 1 from dispatch where run_at > clock_timestamp()`)
      if (row !== undefined) return
    }
  }
})

// Long enough for a busy machine to renew it.
const LEASE_MS = 4_000
