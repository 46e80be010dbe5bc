import { fdatasyncSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { DatabaseAway, isDatabaseAway } from './database-away.ts'
import { copyTemplate } from './data-template.ts'
import type { Database } from './executor.ts'
import { openPglite } from './pglite-db.ts'

let root: string
let database: Database
let syncs = 0
let isDiskBroken = false
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'arbe-durable-'))
  await copyTemplate(join(root, 'db'))
  database = await openPglite(join(root, 'db'), (file) => {
    if (isDiskBroken) throw new Error('the disk is broken')
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

test('[R-07][I5] an engine that breaks is asked nothing more, not even what waited already, and another one has all that was acknowledged', async () => {
  await database.query('create table kept (id int primary key)')
  await database.query('insert into kept values (1)')
  isDiskBroken = true
  const all = [2, 3, 4, 5].map((id) => database.query('insert into kept values ($1)', [id]))
  const ends = await Promise.allSettled(all)
  isDiskBroken = false
  expect(ends.map((end) => end.status === 'rejected' && isDatabaseAway(end.reason))).toEqual([
    // The first one hears what happened: a log that could not be written.
    false,
    true,
    true,
    true,
  ])
  await expect(database.query('select 1')).rejects.toThrow(DatabaseAway)
  const ids = async () => (await database.query('select id from kept order by id')).slice(0, 1)
  await expect.poll(() => ids().catch(() => []), { timeout: 20_000 }).toEqual([{ id: 1 }])
})
