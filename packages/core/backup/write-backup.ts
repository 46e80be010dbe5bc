import type { HouseId } from '@arbe/sdk'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Database, Executor } from '../db/executor.ts'
import { type End, FORMAT, type Header, type Table } from './backup-lines.ts'

/**
 * The whole house as it is at one moment, as text in pieces; see `backup-lines.ts`. What can change is copied into a file in one short
 * transaction, which is all that the house waits for. Entries never change: they are read afterwards, page by page, up to the offsets
 * of that moment, however slowly the pieces are taken.
 */
export async function* writeBackup(db: Database, houseId: HouseId): AsyncGenerator<string, void> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-backup-'))
  try {
    const file = await open(join(folder, 'moment'), 'wx+', 0o600)
    try {
      const moment = await db.transaction((tx) => copyMoment(tx, houseId, file))
      yield* file.createReadStream({ encoding: 'utf8', start: 0, autoClose: false })
      yield line(await tableOf(db, 'entries'))
      let { rows } = moment
      for await (const page of entriesUpTo(db, houseId, moment.heads)) {
        rows += page.rows
        yield page.text
      }
      // Read after the rows, so that none of them holds a number that is still to come.
      const end: End = { end: true, rows, sequences: await readSequences(db) }
      yield line(end)
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function line(value: Header | Table | End): string {
  return `${JSON.stringify(value)}\n`
}

interface Moment {
  readonly rows: number
  readonly heads: readonly Head[]
}

interface Head {
  readonly id: string
  readonly head: number
}

async function copyMoment(tx: Executor, houseId: HouseId, file: FileHandle): Promise<Moment> {
  await tx.query('set transaction isolation level repeatable read, read only')
  const migrations = await tx.query<Header['migrations'][number]>(
    'select name, hash from migrations order by number',
  )
  const at = new Date().toISOString()
  await file.write(line({ arbe: 'backup', format: FORMAT, migrations: [...migrations], at }))
  let rows = 0
  for (const name of await tablesOf(tx)) {
    const table = await tableOf(tx, name)
    await file.write(line(table))
    for await (const page of rowsOf(tx, table, houseId)) {
      await file.write(page.text)
      rows += page.rows
    }
  }
  const heads = await tx.query<Head>(
    'select id, head from threads where house_id = $1 and head > 0 order by id',
    [houseId],
  )
  return { rows, heads }
}

/** All but entries; that to which others refer comes first. */
async function tablesOf(executor: Executor): Promise<readonly string[]> {
  const tables = await executor.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not in ('migrations', 'entries')
      order by exists (select 1 from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'), c.relname`,
  )
  const names = tables.map(({ name }) => name)
  return ['houses', ...names.filter((name) => name !== 'houses')]
}

async function tableOf(executor: Executor, table: string): Promise<Table> {
  const columns = await executor.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )
  return { table, columns: columns.map(({ name }) => name) }
}

interface RowPage {
  readonly text: string
  readonly rows: number
}

/** A row as an array of texts. */
function rowText({ columns }: Table): string {
  return `json_build_array(${columns.map((name) => `x.${name}::text`).join(', ')})::text`
}

const PAGE_BYTES = 1024 * 1024
const FIRST_PAGE = 50
const MOST_ROWS = 2_000

/** Rows are of any size: as many at once as make about a mebibyte, by those before. */
function nextPage(rows: number, length: number): number {
  return Math.max(1, Math.min(MOST_ROWS, Math.floor((PAGE_BYTES * rows) / Math.max(1, length))))
}

async function* rowsOf(tx: Executor, table: Table, houseId: HouseId): AsyncGenerator<RowPage> {
  const where =
    table.table === 'houses'
      ? 'x.id = $1'
      : table.columns.includes('house_id')
        ? 'x.house_id = $1'
        : `exists (select 1 from threads t where 'thread:' || t.id = x.key and t.house_id = $1)`
  await tx.query(
    `declare backup_rows no scroll cursor for select ${rowText(table)} as text from ${table.table} x where ${where}`,
    [houseId],
  )
  for (let size = FIRST_PAGE; ;) {
    const rows = await tx.query<{ text: string }>(`fetch ${size} from backup_rows`)
    if (rows.length === 0) break
    const text = rows.map((row) => `${row.text}\n`).join('')
    yield { text, rows: rows.length }
    size = nextPage(rows.length, text.length)
  }
  await tx.query('close backup_rows')
}

async function* entriesUpTo(
  db: Executor,
  houseId: HouseId,
  heads: readonly Head[],
): AsyncGenerator<RowPage> {
  const entries = await tableOf(db, 'entries')
  const sql = `select x.seq, ${rowText(entries)} as text from entries x
    where x.house_id = $1 and x.thread_id = $2 and x.seq > $3 and x.seq <= $4 order by x.seq limit $5`
  let size = FIRST_PAGE
  for (const { id, head } of heads) {
    for (let after = 0; after < head;) {
      const params = [houseId, id, after, head, size]
      const rows = await db.query<{ seq: number; text: string }>(sql, params)
      const last = rows.at(-1)
      if (last === undefined) throw new Error(`thread ${id} has no entry behind ${after}`)
      const text = rows.map((row) => `${row.text}\n`).join('')
      yield { text, rows: rows.length }
      after = last.seq
      size = nextPage(rows.length, text.length)
    }
  }
}

async function readSequences(executor: Executor): Promise<End['sequences']> {
  const rows = await executor.query<{ name: string; last: number }>(
    `select sequencename as name, coalesce(last_value, 0) as last from pg_sequences where schemaname = 'public'`,
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}
