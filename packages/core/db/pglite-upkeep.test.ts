import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { copyTemplate } from './data-template.ts'
import type { Database } from './executor.ts'
import { openPglite } from './pglite-db.ts'
import { keepUp, vacuumChanged } from './pglite-upkeep.ts'

let root: string
let database: Database
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'arbe-upkeep-'))
  await copyTemplate(join(root, 'db'))
  database = await openPglite(join(root, 'db'), 'off')
})
afterAll(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

test('tables that changed much are cleared and counted, and others are left alone', async () => {
  await vacuumChanged(database)
  await database.query(
    `insert into houses (id, name) select 'hse_' || n, 'House' from generate_series(1, 500) n`,
  )
  await database.query(`update houses set name = 'Home'`)
  expect(await vacuumChanged(database)).toEqual(['houses'])
  expect(
    await database.query(`select reltuples::int8 as rows from pg_class where relname = 'houses'`),
  ).toEqual([{ rows: 500 }])
  expect(await vacuumChanged(database)).toEqual([])
})

test('it ends with its signal, though it was waiting', async () => {
  const closing = new AbortController()
  const upkeep = keepUp(database, closing.signal)
  closing.abort()
  await expect(upkeep).resolves.toBeUndefined()
})
