import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from './executor.ts'

eachEngine((open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
    await database.exec('create table notes (id int primary key)')
  })

  test('values come as plain ones of the language', async () => {
    const rows = await database.query(
      `select 9007199254740991::int8 as big, null::int8 as none, $1::jsonb as json, array[1, 2]::int8[] as all,
        '2026-01-02T03:04:05.678Z'::timestamptz as at, true as yes`,
      [JSON.stringify({ a: [1, null, 'x'] })],
    )
    expect(rows).toEqual([
      {
        big: Number.MAX_SAFE_INTEGER,
        none: null,
        json: { a: [1, null, 'x'] },
        all: [1, 2],
        at: new Date('2026-01-02T03:04:05.678Z'),
        yes: true,
      },
    ])
  })

  test('a transaction that throws leaves nothing', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.query('insert into notes values (1)')
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await database.query('select id from notes')).toEqual([])
  })

  test('a transaction whose failed statement was swallowed says that it failed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await tx.query('insert into notes values (2)')
      await tx.query('select 1 / 0').catch(() => undefined)
    })
    await expect(swallowing).rejects.toThrow('rolled back')
    expect(await database.query('select id from notes')).toEqual([])
  })

  test('a text of several statements that breaks leaves nothing', async () => {
    await expect(database.exec('insert into notes values (3); select 1 / 0')).rejects.toThrow(
      'division by zero',
    )
    expect(await database.query('select id from notes')).toEqual([])
  })

  test('a notification arrives after the commit, and not after stopping to listen', async () => {
    const heard: string[] = []
    const next = Promise.withResolvers<void>()
    const stop = await database.listen('try_notify', (payload) => {
      heard.push(payload)
      next.resolve()
    })
    await database.transaction(async (tx) => {
      await tx.query(`select pg_notify('try_notify', 'one')`)
      await tx.query('select 1')
      heard.push('before the commit')
    })
    await next.promise
    await stop()
    await database.query(`select pg_notify('try_notify', 'two')`)
    // Notifications keep their order: what comes on another channel was sent after it.
    const last = Promise.withResolvers<void>()
    await database.listen('try_last', () => last.resolve())
    await database.query(`select pg_notify('try_last', '')`)
    await last.promise
    expect(heard).toEqual(['before the commit', 'one'])
  })

  test('a renewal session answers while the others work', async () => {
    expect(await database.renewals.query('select 1 as one')).toEqual([{ one: 1 }])
  })
})
