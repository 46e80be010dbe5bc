import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { constants, cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type Migration, migrate, readMigrations } from './migrate.ts'
import { openPglite } from './pglite-db.ts'

/**
 * Makes an empty, migrated database folder once, since making one takes seconds and copying it a moment. Answers its path.
 * Any number of processes may call it at once: each makes its own, the first to finish gives it the name.
 */
export async function prepareTemplate(cache: string = cacheFolder()): Promise<string> {
  const migrations = await readMigrations()
  const template = join(cache, `arbe-template-${await fingerprint(migrations)}`)
  if (existsSync(template)) return template
  await mkdir(cache, { recursive: true })
  const draft = `${template}.${randomUUID()}`
  await makeCluster(draft, migrations)
  await rename(draft, template).catch(async (error: unknown) => {
    await rm(draft, { recursive: true })
    if (!existsSync(template)) throw error
  })
  return template
}

/** Gives a folder that does not exist yet the template's content, all of it or none. */
export async function copyTemplate(to: string): Promise<void> {
  const draft = `${to}.new`
  await rm(draft, { recursive: true, force: true })
  await cp(await prepareTemplate(), draft, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  })
  await rename(draft, to)
}

async function makeCluster(folder: string, migrations: readonly Migration[]): Promise<void> {
  const database = await openPglite(folder, 'off')
  try {
    await migrate(database, migrations)
  } finally {
    await database.close()
  }
}

async function fingerprint(migrations: readonly Migration[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, hash: text } of migrations) hash.update(`${name} ${text}\n`)
  return `${await pgliteVersion()}-${hash.digest('hex').slice(0, 12)}`
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
