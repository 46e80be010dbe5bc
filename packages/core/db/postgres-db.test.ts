import { once } from 'node:events'
import { createServer } from 'node:net'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'

import { type PostgresServer, startPostgresServer } from '../../../test/support/postgres-server.ts'
import { requireOrSkip } from '../../../test/support/require.ts'
import { DatabaseAway } from './database-away.ts'
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

  test('a server that comes back is used again, and listened to', async () => {
    await using server = await startPostgresServer()
    const database = await openPostgres(await freshUrl(server))
    const heard = Promise.withResolvers<string>()
    await database.listen('news', (payload) => heard.resolve(payload))
    await server.stop('immediate')
    await expect(database.query('select 1')).rejects.toThrow(/terminat|connect/)
    await server.start()
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await isListening(database.query.bind(database))
    await database.query(`select pg_notify('news', 'back')`)
    expect(await heard.promise).toBe('back')
    await database.close()
  })

  test('[I2] the renewal of a lease waits for no work, however much there is, and work waits no longer than some seconds', async () => {
    await using server = await startPostgresServer()
    const database = await openPostgres(await freshUrl(server))
    const ended = Promise.withResolvers<void>()
    const busy = Array.from({ length: 20 }, () =>
      database.transaction(async (tx) => {
        await tx.query('select 1')
        await ended.promise
      }),
    )
    const one = database.query('select 1')
    const begun = performance.now()
    expect(await database.renewals.query('select 1 as one')).toEqual([{ one: 1 }])
    expect(performance.now() - begun).toBeLessThan(1_000)
    await expect(one).rejects.toThrow(DatabaseAway)
    expect(performance.now() - begun).toBeLessThan(7_000)
    ended.resolve()
    await Promise.all(busy)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await database.close()
  })

  test('[I2] the renewal of a lease finds its place on a server that has none left', async () => {
    await using server = await startPostgresServer({ maxConnections: 12 })
    const url = await freshUrl(server)
    const database = await openPostgres(url)
    const hogs = await takeEveryPlace(url)
    // The pool's own connection is the only other one, and is at work.
    const refused = database.transaction(async () => database.query('select 1'))
    await expect(refused).rejects.toMatchObject({ code: '53300' })
    expect(await database.renewals.query('select 1 as one')).toEqual([{ one: 1 }])
    await Promise.all(hogs.map((hog) => hog.end()))
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await database.close()
  })

  test('a server that stands still is given up after some seconds', async () => {
    await using server = await startPostgresServer()
    const database = await openPostgres(await freshUrl(server))
    const [backend] = await database.renewals.query<{ pid: number }>(
      'select pg_backend_pid() as pid',
    )
    process.kill(backend?.pid ?? 0, 'SIGSTOP')
    const begun = performance.now()
    await expect(database.renewals.query('select 1')).rejects.toThrow(DatabaseAway)
    expect(performance.now() - begun).toBeLessThan(7_000)
    expect(await database.renewals.query('select 1 as one')).toEqual([{ one: 1 }])
    process.kill(backend?.pid ?? 0, 'SIGCONT')
    await database.close()
  })
})

async function takeEveryPlace(url: string): Promise<readonly Client[]> {
  const hogs: Client[] = []
  for (;;) {
    const hog = new Client({ connectionString: url })
    hog.on('error', () => undefined)
    try {
      await hog.connect()
    } catch {
      return hogs
    }
    hogs.push(hog)
  }
}

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
