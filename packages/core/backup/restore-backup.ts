import type { Executor } from '../db/executor.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { type DatabasePlace, openPlace } from '../db/open-db.ts'
import { BackupRefused, type End, type Header, type Table, migrationsOf } from './backup-lines.ts'
import { type BackupPart, readBackup } from './read-backup.ts'

export interface Restored {
  readonly house: string
  readonly madeAt: string
  readonly threads: number
  readonly entries: number
}

/** Fills an empty place with the house of a backup: all of it, or nothing. */
export async function restoreBackup(file: string, place: DatabasePlace): Promise<Restored> {
  const header = await readHeader(file)
  const migrations = await migrationsOf(header)
  const isToday = migrations.length === (await readMigrations()).length
  const db = await openPlace(place, isToday ? 'template' : 'bare')
  try {
    await refuseHouse(db)
    await migrate(db, migrations)
    const counted = await db.transaction((tx) => fill(tx, readBackup(file)))
    await migrate(db)
    return { madeAt: header.at, ...counted }
  } finally {
    await db.close()
  }
}

async function readHeader(file: string): Promise<Header> {
  for await (const part of readBackup(file)) if (part.kind === 'header') return part
  throw new BackupRefused(`${file} is empty`)
}

/** Before anything is changed: the schema of a house that is there is nobody's to move here. */
async function refuseHouse(executor: Executor): Promise<void> {
  const [made] = await executor.query<{ name: string | null }>(
    `select to_regclass('houses')::text as name`,
  )
  if (made?.name == null) return
  const [house] = await executor.query<{ name: string }>('select name from houses limit 1')
  if (house !== undefined)
    throw new BackupRefused(
      `the house "${house.name}" is there already: restore into an empty place`,
    )
}

const BATCH_ROWS = 500
const BATCH_LENGTH = 1024 * 1024

async function fill(
  tx: Executor,
  parts: AsyncIterable<BackupPart>,
): Promise<Omit<Restored, 'madeAt'>> {
  // A server that starts here now waits, and then finds the house.
  await tx.query('lock table houses in exclusive mode')
  await refuseHouse(tx)
  let insert = ''
  let batch: string[] = []
  let length = 0
  async function flush(): Promise<void> {
    if (batch.length > 0) await tx.query(insert, [`[${batch.join(',')}]`])
    batch = []
    length = 0
  }
  for await (const part of parts) {
    if (part.kind === 'row') {
      batch.push(part.text)
      length += part.text.length
      if (batch.length >= BATCH_ROWS || length >= BATCH_LENGTH) await flush()
      continue
    }
    await flush()
    if (part.kind === 'table') insert = await insertInto(tx, part)
    if (part.kind === 'end') await goOn(tx, part)
  }
  return await count(tx)
}

/** Each value is read as its column's type. Names come from the schema: what it does not have is refused. */
async function insertInto(tx: Executor, { table, columns }: Table): Promise<string> {
  const known = await tx.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = to_regclass('public.' || quote_ident($1)) and attnum > 0 and attname = any($2::text[])
      order by array_position($2::text[], attname::text)`,
    [table, columns],
  )
  if (known.length !== columns.length || columns.length === 0)
    throw new BackupRefused(`this arbe has no table ${table} with ${columns.join(', ')}`)
  const names = known.map(({ name }) => name).join(', ')
  const values = known.map(({ type }, index) => `(x ->> ${index})::${type}`).join(', ')
  return `insert into ${table} (${names}) select ${values} from json_array_elements($1::json) x`
}

/** What ran when the backup was made runs nowhere now, and is taken up by whoever comes first; no number is given twice. */
async function goOn(tx: Executor, { sequences }: End): Promise<void> {
  for (const [name, last] of Object.entries(sequences))
    await tx.query(`select setval(to_regclass('public.' || quote_ident($1)), $2::bigint)`, [
      name,
      last + SEQUENCE_MARGIN,
    ])
  await tx.query(
    'update thread_directors set holder = null, lease_until = null, retry_at = null where true',
  )
  await tx.query('update dispatch set run_at = clock_timestamp(), attempts = 0 where true')
  await tx.query('select director_sweep()')
}

/** Sequences are read apart from the rows: those who draw a number keep it whatever becomes of their transaction. */
const SEQUENCE_MARGIN = 1_000

async function count(tx: Executor): Promise<Omit<Restored, 'madeAt'>> {
  const [counted] = await tx.query<Omit<Restored, 'madeAt'>>(
    `select name as house, (select count(*) from threads) as threads, (select count(*) from entries) as entries
      from houses limit 1`,
  )
  if (counted === undefined) throw new BackupRefused('the backup holds no house')
  return counted
}
