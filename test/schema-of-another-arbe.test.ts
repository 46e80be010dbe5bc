import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { migrate, readMigrations } from '../packages/core/db/migrate.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { openPostgres } from '../packages/core/db/postgres-db.ts'
import { createDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { runArbe, startArbe } from './support/run-arbe.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-schema-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const REFUSAL =
  'this database was made by a newer arbe, which knows 9999-later.sql: start that one, or update this one\n'

const FROM_LATER = `insert into migrations (number, name, hash) values (9999, '9999-later.sql', 'x')`

test('a data folder that a newer arbe has brought up to date is refused in one sentence', async () => {
  const dataDir = join(home, 'data')
  const db = await openDatabase({ dataDir })
  await db.query(FROM_LATER)
  await db.close()
  const ran = await runArbe(['start', '--port', '0', '--data', dataDir], { env: { HOME: home } })
  expect(ran).toEqual({ code: 1, stdout: '', stderr: REFUSAL })
}, 60_000)

describe.skipIf(requireOrSkip('postgres'))('on a Postgres', () => {
  test('a database that a newer arbe has brought up to date is refused by every part, in one sentence', async () => {
    await using made = await fresh()
    const db = await openDatabase({ url: made.url })
    await db.query(FROM_LATER)
    await db.close()
    const env = { HOME: home, DATABASE_URL: made.url }
    for (const part of [['www', '--port', '0'], ['backstage']])
      expect(await runArbe(part, { env })).toEqual({ code: 1, stdout: '', stderr: REFUSAL })
  }, 60_000)

  test('an update that fails half-way says where and why and leaves the database as it was; mended, it goes on from there', async () => {
    await using made = await fresh()
    const env = { HOME: home, DATABASE_URL: made.url }
    const known = await readMigrations()
    const db = await openPostgres(made.url)
    await migrate(db, known.slice(0, -1))
    // Its last statement fails, after the others were carried out.
    await db.exec('create schema trap')
    await db.query(`create function trap.spring() returns event_trigger language plpgsql as $$
      begin if (select count(*) from migrations) = ${known.length} then raise exception 'the trap sprang'; end if; end $$`)
    await db.query('create event trigger trap on ddl_command_end execute function trap.spring()')
    const before = await schemaOf(db)
    const last = known.at(-1)?.name ?? ''
    expect(await runArbe(['www', '--port', '0'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `migration ${last} failed and left nothing: the trap sprang\n`,
    })
    expect(await schemaOf(db)).toEqual(before)
    await db.query('drop event trigger trap')
    await db.close()
    const www = startArbe(['www', '--port', '0', '--json'], env)
    expect(JSON.parse(await www.stdoutWith('\n'))).toMatchObject({ engine: 'postgres' })
    www.child.kill('SIGKILL')
    await www.ended
  }, 60_000)

  test('processes that start at once on an empty database make one house together', async () => {
    await using made = await fresh()
    const env = { HOME: home, DATABASE_URL: made.url }
    const all = [0, 1, 2].map(() => startArbe(['www', '--port', '0', '--json'], env))
    const lines = await Promise.all(all.map((one) => one.stdoutWith('\n')))
    for (const { child } of all) child.kill('SIGKILL')
    await Promise.all(all.map(({ ended }) => ended))
    expect(lines.map((line) => JSON.parse(line).engine)).toEqual(Array(3).fill('postgres'))
    const db = await openPostgres(made.url)
    expect(await db.query('select count(*) from houses')).toEqual([{ count: 1 }])
    const [applied] = await db.query<{ count: number }>('select count(*) from migrations')
    await db.close()
    expect(applied?.count).toBe((await readMigrations()).length)
  }, 60_000)
})

/** Every column, function and applied file. */
async function schemaOf(db: Database): Promise<readonly object[]> {
  return db.query(
    `select table_name || '.' || column_name || ' ' || data_type as part from information_schema.columns
        where table_schema = 'public'
      union all select proname || ' ' || md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
      union all select name from migrations
      order by 1`,
  )
}

async function fresh(): Promise<TestDatabase & AsyncDisposable> {
  const made = await createDatabase()
  return { ...made, [Symbol.asyncDispose]: () => made.drop() }
}
