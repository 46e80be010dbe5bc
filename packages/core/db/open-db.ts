import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { lockDataFolder } from './data-folder-lock.ts'
import { copyTemplate } from './data-template.ts'
import type { Database } from './executor.ts'
import { migrate } from './migrate.ts'
import { openPglite } from './pglite-db.ts'
import { keepUp } from './pglite-upkeep.ts'
import { openPostgres } from './postgres-db.ts'

/** Where the rows are: on a server, or in a folder that belongs to this process alone. */
export type DatabasePlace = { readonly url: string } | { readonly dataDir: string }

/** Opens the database with this code's schema in it. */
export async function openDatabase(place: DatabasePlace): Promise<Database> {
  const database = await openPlace(place, 'template')
  try {
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** As it is there, whatever its schema; a folder without a database gets one with this code's schema, or with none. */
export async function openPlace(
  place: DatabasePlace,
  otherwise: 'template' | 'bare',
): Promise<Database> {
  if ('url' in place) return openPostgres(place.url)
  return openFolder(place.dataDir, otherwise)
}

async function openFolder(dataDir: string, otherwise: 'template' | 'bare'): Promise<Database> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir)
  try {
    const folder = join(dataDir, 'db')
    if (!existsSync(folder) && otherwise === 'template') await copyTemplate(folder, { fsync: true })
    const database = await openPglite(folder)
    const closing = new AbortController()
    const upkeep = keepUp(database, closing.signal)
    return {
      ...database,
      close: async () => {
        closing.abort()
        await upkeep
        await database.close()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}
