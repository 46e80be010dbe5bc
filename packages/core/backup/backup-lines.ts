import { z } from 'zod'
import { type Migration, readMigrations } from '../db/migrate.ts'

/**
 * A backup is lines of text, compressed: a header, then for each table one line that names it and its columns and an array a row, then the
 * end. Every value is text as Postgres writes it, or null, so that nothing is rounded on the way and either engine reads the other's.
 */
export const FORMAT = 1

export const HeaderSchema = z.object({
  arbe: z.literal('backup'),
  format: z.number(),
  /** The schema that the rows fit, by its files. */
  migrations: z.array(z.object({ name: z.string(), hash: z.string() })),
  at: z.string(),
})
export type Header = z.output<typeof HeaderSchema>

export const TableSchema = z.object({ table: z.string(), columns: z.array(z.string()) })
export type Table = z.output<typeof TableSchema>

export const EndSchema = z.object({
  end: z.literal(true),
  rows: z.number(),
  /** Where the sequences of the database stood, or beyond. */
  sequences: z.record(z.string(), z.number()),
})
export type End = z.output<typeof EndSchema>

export class BackupRefused extends Error {
  override readonly name = 'BackupRefused'
}

/** The migrations of this arbe that make the schema of the backup. */
export async function migrationsOf({ format, migrations }: Header): Promise<readonly Migration[]> {
  const known = await readMigrations()
  const newer =
    format > FORMAT
      ? `format ${format}`
      : migrations.find(({ name }) => known.every((one) => one.name !== name))?.name
  if (newer !== undefined)
    throw new BackupRefused(
      `this backup was made by a newer arbe, which knows ${newer}: update this one first`,
    )
  const made = known.filter(({ name }) => migrations.some((one) => one.name === name))
  const changed = made.find(({ name, hash }) =>
    migrations.every((one) => one.name !== name || one.hash !== hash),
  )
  if (changed !== undefined)
    throw new BackupRefused(`this backup was made by another arbe: its ${changed.name} differs`)
  return made
}
