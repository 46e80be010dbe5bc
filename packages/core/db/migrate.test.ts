import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from './executor.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

function migration(number: number, sql: string): Migration {
  return { number, name: `${number}-try.sql`, sql, hash: sql }
}

eachEngine((open) => {
  let database: Database
  let known: readonly Migration[]
  beforeAll(async () => {
    database = await open()
    known = await readMigrations()
  })

  async function tables(like: string): Promise<readonly object[]> {
    return database.query(
      'select tablename as name from pg_tables where tablename like $1 order by tablename',
      [like],
    )
  }

  test('a file that breaks in its middle leaves nothing, and the database goes on', async () => {
    const broken = migration(9_001, 'create table half_done (id int); select 1 / 0;')
    await expect(migrate(database, [...known, broken])).rejects.toThrow(
      'migration 9001-try.sql failed and left nothing: division by zero',
    )
    expect(await tables('half_done')).toEqual([])
    await migrate(database, [...known, migration(9_001, 'create table whole (id int)')])
    expect(await tables('whole')).toEqual([{ name: 'whole' }])
  })

  test('a database with a migration this arbe does not know is refused', async () => {
    await migrate(database, [...known, migration(9_001, 'create table whole (id int)')])
    await expect(migrate(database, known)).rejects.toThrow(
      'this database was made by a newer arbe, which knows 9001-try.sql',
    )
  })

  test('a file that changed after it was applied is refused', async () => {
    const edited = known.map((one) => (one.number === 1 ? { ...one, hash: 'edited' } : one))
    await expect(migrate(database, edited)).rejects.toThrow(
      '0001-house.sql has changed since it was applied to this database',
    )
  })

  test('a file is applied once by several at the same time', async () => {
    const also = migration(9_002, 'create table once (id int); insert into once values (1)')
    const all = [...known, migration(9_001, 'create table whole (id int)'), also]
    await Promise.all([migrate(database, all), migrate(database, all), migrate(database, all)])
    expect(await database.query('select id from once')).toEqual([{ id: 1 }])
  })
})
