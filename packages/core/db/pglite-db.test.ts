import { fdatasyncSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { copyTemplate } from './data-template.ts'
import type { Database } from './executor.ts'
import { openPglite } from './pglite-db.ts'

let root: string
let database: Database
let syncs = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'arbe-durable-'))
  await copyTemplate(join(root, 'db'))
  database = await openPglite(join(root, 'db'), (file) => {
    syncs += 1
    fdatasyncSync(file)
  })
})
afterAll(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

test('every commit reaches the disk before it is acknowledged', async () => {
  await database.query('create table rows (id int)')
  const commits = 100
  const before = syncs
  for (let n = 0; n < commits; n++) await database.query('insert into rows values ($1)', [n])
  expect(syncs - before).toBeGreaterThanOrEqual(commits)
})

test('the engine believes in its disk', async () => {
  expect(await database.query('show fsync')).toEqual([{ fsync: 'on' }])
  expect(await database.query('show wal_sync_method')).toEqual([{ wal_sync_method: 'fsync' }])
})
