import { toOffset, toThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { createDatabase } from '../../../test/support/postgres.ts'
import { requireOrSkip } from '../../../test/support/require.ts'
import type { Database } from '../db/executor.ts'
import { openPostgres } from '../db/postgres-db.ts'
import type { EphemeralEvent } from './ephemeral-outbox.ts'
import { type LiveBus, openLiveBus } from './live-bus.ts'

const threadId = toThreadId('thr_1')
const stop: EphemeralEvent = { type: 'stop', threadId }
const hint = { threadId, seq: toOffset(3), wakes: false }

/** The first things the bus gives out. */
function first(count: number, bus: LiveBus): Promise<readonly unknown[]> {
  const heard: unknown[] = []
  const done = Promise.withResolvers<readonly unknown[]>()
  const hear = (one: unknown): void => {
    heard.push(one)
    if (heard.length === count) done.resolve(heard)
  }
  bus.listen({ onAppended: hear, onEvent: hear })
  return done.promise
}

function delta(at: number, text: string): EphemeralEvent {
  return {
    type: 'delta',
    threadId,
    decision: 1,
    fence: 7,
    bot: 'agt_bob',
    round: 0,
    after: 1,
    at,
    text,
  }
}

test('in one process everything arrives without a database in between', async () => {
  const unused = (): never => {
    throw new Error('the embedded database has nobody to tell')
  }
  const database: Database = {
    engine: 'pglite',
    query: unused,
    transaction: unused,
    exec: unused,
    listen: unused,
    renewals: { query: unused },
    close: unused,
  }
  const bus = await openLiveBus(database)
  const heard = first(3, bus)
  bus.appended(hint)
  bus.publish(delta(0, 'a'))
  bus.publish(delta(1, 'b'))
  bus.publish(stop)
  expect(await heard).toEqual([hint, delta(0, 'ab'), stop])
  await bus.close()
})

describe.skipIf(requireOrSkip('postgres'))('two processes on one server', () => {
  let url: string
  beforeAll(async () => {
    const made = await createDatabase()
    url = made.url
  })

  test('each hears of the other, and of itself once', async () => {
    const databases = [await openPostgres(url), await openPostgres(url)] as const
    const here = await openLiveBus(databases[0])
    const there = await openLiveBus(databases[1])
    const heard = [first(4, here), first(3, there)]
    here.appended({ ...hint, wakes: true })
    here.appended({ ...hint, seq: toOffset(4) })
    here.publish(delta(0, 'a'))
    here.publish(stop)
    const [own, others] = await Promise.all(heard)
    expect(own).toEqual([{ ...hint, wakes: true }, { ...hint, seq: 4 }, delta(0, 'a'), stop])
    // The two hints became one that says as much; hints and events travel apart.
    expect(new Set(others)).toEqual(
      new Set([{ ...hint, seq: 4, wakes: true }, stop, delta(0, 'a')]),
    )
    await Promise.all([here.close(), there.close()])
    await Promise.all(databases.map((database) => database.close()))
  })
})
