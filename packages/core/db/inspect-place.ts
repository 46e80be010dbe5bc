import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderInUse, lockDataFolder } from './data-folder-lock.ts'
import type { DatabasePlace } from './open-db.ts'
import { openPostgres } from './postgres-db.ts'

/** One sentence on what the place holds and survives, without changing it. Throws when a house could not be opened there. */
export async function inspectPlace(place: DatabasePlace): Promise<string> {
  return 'url' in place ? await inspectServer(place.url) : inspectFolder(place.dataDir)
}

function inspectFolder(dataDir: string): string {
  if (!existsSync(join(dataDir, 'db')))
    return `no house in ${dataDir} yet; the first start makes it`
  try {
    lockDataFolder(dataDir)[Symbol.dispose]()
    return `a house in ${dataDir}, not running; commits reach the disk before they are acknowledged`
  } catch (error) {
    if (error instanceof DataFolderInUse) return `a house in ${dataDir}, running: ${error.message}`
    throw error
  }
}

async function inspectServer(url: string): Promise<string> {
  const db = await openPostgres(url)
  try {
    const [row] = await db.query<{ version: number; fsync: string }>(
      `select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync`,
    )
    const version = Math.floor((row?.version ?? 0) / 10_000)
    if (version < 15)
      throw new Error(`the server is Postgres ${version}, and arbe needs 15 or newer`)
    if (row?.fsync !== 'on')
      throw new Error('the server runs with fsync off: a power cut loses messages')
    return `Postgres ${version} answers, and writes reach its disk before they are acknowledged`
  } finally {
    await db.close()
  }
}
