import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { VolumePath } from './volume-path.ts'

export interface FileVersion {
  readonly path: string
  readonly version: number
  readonly content: string
  readonly authorId: ActorId
}

export interface FileSummary {
  readonly path: string
  readonly version: number
  readonly bytes: number
  readonly authorId: ActorId
  readonly updatedAt: Date
}

export interface FileWrite {
  readonly houseId: HouseId
  readonly path: VolumePath
  readonly authorId: ActorId
  /** Names the write: one that runs again finds its own version and writes none. */
  readonly effectKey: string
}

/** The newest version; undefined when there is none or it was deleted. */
export async function readFile(
  executor: Executor,
  houseId: HouseId,
  path: VolumePath,
): Promise<FileVersion | undefined> {
  const [row] = await executor.query<FileRow>(NEWEST, [houseId, path])
  return row === undefined || row.deleted ? undefined : toFileVersion(row)
}

/**
 * Waits for whoever is changing the file; what is read after this is what will be written over. Held until the
 * transaction ends.
 */
export async function lockFile(tx: Executor, houseId: HouseId, path: VolumePath): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1::text || '/' || $2::text, 0))`, [
    houseId,
    path,
  ])
}

/** Adds a version, inside a transaction. Versions of a path count up one by one, whoever writes. */
export async function writeFile(
  tx: Executor,
  write: FileWrite & { readonly content: string },
): Promise<number> {
  return addVersion(tx, { ...write, deleted: false })
}

/** Adds a version that says the file is gone; older ones stay. */
export async function deleteFile(tx: Executor, write: FileWrite): Promise<number> {
  return addVersion(tx, { ...write, content: '', deleted: true })
}

/** Living files below a folder, or all of the house, by path. */
export async function listFiles(
  executor: Executor,
  houseId: HouseId,
  { folder, limit }: { readonly folder: VolumePath | undefined; readonly limit: number },
): Promise<readonly FileSummary[]> {
  const rows = await executor.query<SummaryRow>(
    `select path, version, bytes, author_id, created_at from (
       select distinct on (path) path, version, octet_length(content) as bytes, author_id,
         created_at, deleted
       from files
       where house_id = $1 and ($2::text is null or starts_with(path, $2::text || '/'))
       order by path, version desc
     ) newest
     where not deleted
     order by path collate "C"
     limit $3`,
    [houseId, folder ?? null, limit],
  )
  return rows.map((row) => ({
    path: row.path,
    version: row.version,
    bytes: row.bytes,
    authorId: toActorId(row.author_id),
    updatedAt: row.created_at,
  }))
}

interface FileRow {
  readonly path: string
  readonly version: number
  readonly content: string
  readonly author_id: string
  readonly deleted: boolean
}

interface SummaryRow {
  readonly path: string
  readonly version: number
  readonly bytes: number
  readonly author_id: string
  readonly created_at: Date
}

const NEWEST = `
  select path, version, content, author_id, deleted from files
  where house_id = $1 and path = $2
  order by version desc limit 1`

function toFileVersion(row: FileRow): FileVersion {
  const { path, version, content } = row
  return { path, version, content, authorId: toActorId(row.author_id) }
}

async function addVersion(
  tx: Executor,
  write: FileWrite & { readonly content: string; readonly deleted: boolean },
): Promise<number> {
  const { houseId, path, content, authorId, effectKey, deleted } = write
  await lockFile(tx, houseId, path)
  // A statement of its own: its snapshot must come after the lock.
  await tx.query(
    `insert into files (house_id, path, version, content, author_id, effect_key, deleted)
     select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6
     from files where house_id = $1 and path = $2
     on conflict (house_id, path, effect_key) do nothing`,
    [houseId, path, content, authorId, effectKey, deleted],
  )
  const [row] = await tx.query<{ version: number }>(
    `select version from files where house_id = $1 and path = $2 and effect_key = $3`,
    [houseId, path, effectKey],
  )
  if (row === undefined) throw new Error(`the write ${effectKey} of ${path} left no version`)
  return row.version
}
