import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'

import { type PostgresServer, startPostgresServer } from '../../../test/support/postgres-server.ts'
import { requireOrSkip } from '../../../test/support/require.ts'
import { openPostgres } from './postgres-db.ts'

test('an address where nobody answers gives one sentence, without the password', async () => {
  const port = await closedPort()
  await expect(openPostgres(`postgres://ann:secret@127.0.0.1:${port}/house`)).rejects.toThrow(
    new RegExp(
      `^no Postgres answers at postgres://127.0.0.1:${port}/house: connect ECONNREFUSED \\S+$`,
    ),
  )
})

test('a text that is no address gives one sentence, without the text', async () => {
  await expect(openPostgres('secret')).rejects.toThrow(/^no Postgres answers at DATABASE_URL: /)
})

describe.skipIf(requireOrSkip('postgres'))('a server that fails', () => {
  test('connections that the server ends fail what they carried and nothing else', async () => {
    await using server = await startPostgresServer()
    const database = await openPostgres(await freshUrl(server))
    const killAll =
      'select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database()'
    await database.listen('any', () => undefined)
    await database.renewals.query('select 1')
    const carried = database.transaction(async (tx) => {
      await database.query(`${killAll} and pid <> pg_backend_pid()`)
      await tx.query('select 1')
    })
    await expect(carried).rejects.toThrow(/terminat|connection/)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    // Its idle connection may be found dead by the statement that takes it, one time.
    await database.renewals.query('select 1').catch(() => undefined)
    expect(await database.renewals.query('select 1 as one')).toEqual([{ one: 1 }])
    await database.close()
  })

  test('[R-11] a server that comes back is used again, and listened to', async () => {
    await using server = await startPostgresServer()
    const database = await openPostgres(await freshUrl(server))
    const heard = Promise.withResolvers<string>()
    await database.listen('news', (payload) => heard.resolve(payload))
    await server.crash()
    await expect(database.query('select 1')).rejects.toThrow(/terminat|connect/)
    await server.start()
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await isListening(database.query.bind(database))
    await database.query(`select pg_notify('news', 'back')`)
    expect(await heard.promise).toBe('back')
    await database.close()
  })
})

async function freshUrl(server: PostgresServer): Promise<string> {
  const { url } = await server.createDatabase()
  return url
}

/** Until the listening connection, which returns by itself, has returned. */
async function isListening(query: (sql: string) => Promise<readonly object[]>): Promise<void> {
  const sql = `select pid from pg_stat_activity where query like 'listen%'`
  while ((await query(sql)).length === 0);
}

async function closedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  probe.close()
  await once(probe, 'close')
  return address.port
}
