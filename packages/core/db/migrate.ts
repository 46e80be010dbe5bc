import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Database } from './executor.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly hash: string
}

/** Brings the schema up to this code's; a file that breaks leaves nothing behind, and several processes may do it at once. */
export async function migrate(
  database: Database,
  migrations?: readonly Migration[],
): Promise<void> {
  const known = migrations ?? (await readMigrations())
  for (;;) {
    const applied = await appliedTo(database)
    refuseForeign(applied, known)
    const next = known.find(({ number }) => applied.every((one) => one.number !== number))
    if (next === undefined) return
    await apply(database, next)
  }
}

/** The numbered files of a folder in their order. */
export async function readMigrations(
  folder: string = join(import.meta.dirname, 'migrations'),
): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      const hash = createHash('sha256').update(sql).digest('hex')
      return { number: Number.parseInt(name, 10), name, sql, hash }
    }),
  )
}

interface Applied {
  readonly number: number
  readonly name: string
  readonly hash: string
}

async function appliedTo(database: Database): Promise<readonly Applied[]> {
  const [found] = await database.query<{ name: string | null }>(
    `select to_regclass('migrations')::text as name`,
  )
  if (found?.name == null) return []
  return database.query<Applied>('select number, name, hash from migrations order by number')
}

function refuseForeign(applied: readonly Applied[], known: readonly Migration[]): void {
  for (const { number, name, hash } of applied) {
    const own = known.find((migration) => migration.number === number)
    if (own === undefined) {
      throw new Error(
        `this database was made by a newer arbe, which knows ${name}: start that one, or update this one`,
      )
    }
    if (own.hash === hash) continue
    throw new Error(
      `${name} has changed since it was applied to this database: start the arbe that made it, or use a new one`,
    )
  }
}

// The lock makes a second process wait, and its own insert then fails.
async function apply(database: Database, migration: Migration): Promise<void> {
  const { number, name, sql, hash } = migration
  const text = `
set local statement_timeout = 0;
select pg_advisory_xact_lock(3141592653589);
create table if not exists migrations (
  number bigint primary key,
  name text not null,
  hash text not null,
  applied_at timestamptz not null default clock_timestamp()
);
insert into migrations (number, name, hash) values (${number}, '${name}', '${hash}');
${sql}`
  try {
    await database.exec(text)
  } catch (cause) {
    const applied = await appliedTo(database)
    if (applied.some((one) => one.number === number)) return
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`migration ${name} failed and left nothing: ${reason}`, { cause })
  }
}
