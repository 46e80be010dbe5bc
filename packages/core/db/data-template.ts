import { createHash, randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, cp, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type Migration, migrate, readMigrations } from './migrate.ts'
import { openPglite } from './pglite-db.ts'

const PREFIX = 'arbe-template-'
const UNUSED_MS = 24 * 60 * 60 * 1_000

/**
 * Makes an empty, migrated database folder once, since making one takes seconds and copying it a moment. Answers its path.
 * Any number of processes may call it at once: each makes its own, the first to finish gives it the name.
 */
export async function prepareTemplate(cache: string = cacheFolder()): Promise<string> {
  const migrations = await readMigrations()
  const template = await templateIn(cache, migrations)
  if (existsSync(template)) return template
  await mkdir(cache, { recursive: true })
  await removeOld(cache)
  const draft = `${template}.${randomUUID()}`
  await makeFolder(draft, migrations)
  await rename(draft, template).catch(async (error: unknown) => {
    await rm(draft, { recursive: true })
    if (!existsSync(template)) throw error
  })
  return template
}

export interface CopyOptions {
  /** Wait until the copy is on the disk: without it, a power cut in the first half minute may leave a house that does not open. */
  readonly fsync?: boolean
}

/** Gives a folder that does not exist yet the template's content, all of it or none. */
export async function copyTemplate(to: string, { fsync = false }: CopyOptions = {}): Promise<void> {
  const draft = `${to}.new`
  await rm(draft, { recursive: true, force: true })
  await fill(draft)
  if (fsync) await syncAll(draft)
  await rename(draft, to)
  if (fsync) await syncOne(dirname(to))
}

async function fill(folder: string): Promise<void> {
  const cache = cacheFolder()
  const migrations = await readMigrations()
  const isThere = existsSync(await templateIn(cache, migrations))
  // Packages may be installed by one user and run by another, who cannot leave a template there.
  if (!isThere && (await isOutOfReach(cache))) return makeFolder(folder, migrations)
  const template = await prepareTemplate(cache)
  return cp(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

async function makeFolder(folder: string, migrations: readonly Migration[]): Promise<void> {
  const database = await openPglite(folder, 'off')
  try {
    await migrate(database, migrations)
  } finally {
    await database.close()
  }
}

async function templateIn(cache: string, migrations: readonly Migration[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, hash: text } of migrations) hash.update(`${name} ${text}\n`)
  return join(cache, `${PREFIX}${await pgliteVersion()}-${hash.digest('hex').slice(0, 12)}`)
}

async function pgliteVersion(): Promise<string> {
  const file = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'))
  const { version }: { readonly version: string } = JSON.parse(await readFile(file, 'utf8'))
  return version
}

// Beside the packages, so that what installs or deletes them does the same with the template.
function cacheFolder(): string {
  return fileURLToPath(new URL('../../../.cache', import.meta.resolve('@electric-sql/pglite')))
}

async function isOutOfReach(cache: string): Promise<boolean> {
  const folder = existsSync(cache) ? cache : dirname(cache)
  return access(folder, constants.W_OK).then(
    () => false,
    () => true,
  )
}

/** Those of earlier migrations, and drafts of processes that were killed. */
async function removeOld(cache: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(PREFIX))
  for (const path of names.map((name) => join(cache, name))) {
    // Another process may be just renaming its draft.
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || Date.now() - found.mtimeMs < UNUSED_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}

async function syncAll(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).values()
  // A thousand files: several at a time let the disk order them.
  const lanes = Array.from({ length: 16 }, async () => {
    for (const path of paths) await syncOne(path)
  })
  await Promise.all(lanes)
}

async function syncOne(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
