import { toHouseId } from '@arbe/sdk'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eachEngine } from '../../../test/support/each-engine.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { requireOrSkip } from '../../../test/support/require.ts'
import type { Database, Executor } from '../db/executor.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openDatabase } from '../db/open-db.ts'
import { openPostgres } from '../db/postgres-db.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-backup-unit-'))
})
afterAll(() => rm(home, { recursive: true }))

eachEngine((open) => {
  let source: Database
  let file: string
  beforeAll(async () => {
    source = await open()
    await fillHouse(source, 'hse_1')
    await fillHouse(source, 'hse_2')
    file = join(home, `${source.engine}.arbe`)
    await backUp(source, file)
  })

  test('a backup gives back every value of its house as it was, and nothing of another house', async () => {
    const dataDir = join(home, `restored-from-${source.engine}`)
    const restored = await restoreBackup(file, { dataDir })
    const there = await openDatabase({ dataDir })
    try {
      expect({ ...restored, madeAt: '' }).toEqual({
        house: 'house "hse_1"\n',
        madeAt: '',
        threads: 1,
        entries: 300,
      })
      expect(await dump(there)).toEqual(await dump(source))
      expect(await there.query('select id from houses')).toEqual([{ id: 'hse_1' }])
      // A fence that is still out there is never given to somebody else.
      const [before] = await source.query<{ fence: number }>(NEXT_FENCE)
      const [after] = await there.query<{ fence: number }>(NEXT_FENCE)
      expect(after?.fence).toBeGreaterThan(before?.fence ?? Infinity)
      // What was being worked on is due at once.
      expect(await there.query(LEASES)).toEqual([{ holder: null, isDue: true }])
    } finally {
      await there.close()
    }
    await expect(restoreBackup(file, { dataDir })).rejects.toThrow(
      'the house "house "hse_1"\n" is there already: restore into an empty place',
    )
  })

  test('every table belongs to a house, so that none is left out of a backup', async () => {
    const strays = await source.query(
      `select c.relname as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
          and c.relname not in ('houses', 'migrations', 'dispatch')
          and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'house_id')`,
    )
    expect(strays).toEqual([])
  })

  test('a file that is cut off, changed or of a newer arbe is refused, and nothing stays of it', async () => {
    const lines = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n')
    const [header = '', ...rest] = lines
    const bad = {
      'cut off after': [header, ...rest.slice(0, -1)],
      'is no backup of a house': rest,
      'no backup of a house has a line such as what': [header, 'what', ...rest],
      'which knows format 2': [header.replace('"format":1', '"format":2'), ...rest],
      'which knows 9999-later.sql': [header.replace('0001-house.sql', '9999-later.sql'), ...rest],
      'this arbe has no table houses with id, colour': [
        header,
        '{"table":"houses","columns":["id","colour"]}',
        '["hse_1","red"]',
        '{"end":true,"rows":1,"sequences":{}}',
      ],
    }
    const dataDir = join(home, `refused-from-${source.engine}`)
    for (const [reason, text] of Object.entries(bad)) {
      const broken = join(home, 'broken.arbe')
      await writeFile(broken, gzipSync(text.join('\n')))
      await expect(restoreBackup(broken, { dataDir })).rejects.toThrow(reason)
    }
    const half = join(home, 'half.arbe')
    const bytes = await readFile(file)
    await writeFile(half, bytes.subarray(0, bytes.length / 2))
    await expect(restoreBackup(half, { dataDir })).rejects.toThrow('cannot be read as a backup')
    await expect(restoreBackup(file, { dataDir })).resolves.toMatchObject({ entries: 300 })
  })
})

describe.skipIf(requireOrSkip('postgres'))('a backup of an older arbe', () => {
  test('is restored as it was, and then brought up to date', async () => {
    const known = await readMigrations()
    const [old, fresh] = [await createDatabase(), await createDatabase()]
    const source = await openPostgres(old.url)
    await migrate(source, known.slice(0, 7))
    await fillHouse(source, 'hse_1')
    const file = join(home, 'old.arbe')
    await backUp(source, file)
    await source.close()
    expect(await restoreBackup(file, { url: fresh.url })).toMatchObject({ entries: 300 })
    const there = await openPostgres(fresh.url)
    const [applied] = await there.query<{ count: number }>('select count(*) from migrations')
    await there.close()
    expect(applied?.count).toBe(known.length)
    await Promise.all([old.drop(), fresh.drop()])
  })
})

const NEXT_FENCE = `select nextval('director_fence') as fence`

const LEASES = `
  select d.holder, q.run_at <= clock_timestamp() as "isDue"
    from thread_directors d join dispatch q on q.key = 'thread:' || d.thread_id`

async function backUp(db: Database, file: string): Promise<void> {
  const text = Readable.from(writeBackup(db, toHouseId('hse_1')))
  await pipeline(text, createGzip(), createWriteStream(file))
}

/** A thread at work, and values that are easily lost on the way. */
async function fillHouse(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`insert into houses (id, name, budget_per_day) values ($1, $2, 0.10)`, [
      id,
      `house "${id}"\n`,
    ])
    const thread = `thr_${id}`
    await tx.query(
      `insert into threads (house_id, id, created_by, parent, head, wake_head) values ($1, $2, 'usr_1', 'null', 300, 1)`,
      [id, thread],
    )
    await tx.query(
      `insert into entries (house_id, thread_id, seq, key, kind, author_id, author_kind, wakes, readable, body, created_at)
        select $1, $2, n, 'key-' || n, 'chat', 'usr_1', 'person', n = 1, true,
            jsonb_build_object('text', E'\\\\ " \\n é 🙂 \\u2028 ' || repeat('x', n * 20), 'number', 12345678901234567890.0123456789),
            '2026-01-02 03:04:05.678901+00'
          from generate_series(1, 300) n`,
      [id, thread],
    )
    await tx.query(
      `insert into thread_directors (thread_id, house_id, fence, holder, lease_until, last_decision)
        values ($1, $2, nextval('director_fence'), 'somebody', clock_timestamp() + interval '1 hour', null)`,
      [thread, id],
    )
    await tx.query(
      `insert into dispatch (key, run_at) values ($1, clock_timestamp() + interval '1 hour')`,
      [`thread:${thread}`],
    )
  })
}

/** All rows of the first house as texts, but for what a restore is to change. */
async function dump(executor: Executor): Promise<Readonly<Record<string, readonly object[]>>> {
  const tables = await executor.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('migrations', 'dispatch', 'thread_directors') order by relname`,
  )
  const all: Record<string, readonly object[]> = {}
  for (const { name } of tables) {
    const house = name === 'houses' ? 'id' : 'house_id'
    all[name] = await executor.query(
      `select x::text as row from ${name} x where ${house} = 'hse_1' order by 1`,
    )
  }
  return all
}
