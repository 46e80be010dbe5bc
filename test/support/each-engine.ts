import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'

import { copyTemplate } from '../../packages/core/db/data-template.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import { migrate } from '../../packages/core/db/migrate.ts'
import { openPglite } from '../../packages/core/db/pglite-db.ts'
import { openPostgres } from '../../packages/core/db/postgres-db.ts'
import { createDatabase } from './postgres.ts'
import { requireOrSkip } from './require.ts'

/** Opens an empty database with the whole schema; it is closed and gone after the suite. One takes up to a second. */
export type OpenDatabase = () => Promise<Database>

/** The same suite on the embedded engine and on a Postgres server; call `open` once, in `beforeAll`. */
export function eachEngine(suite: (open: OpenDatabase) => void): void {
  describe('on pglite', () => {
    suite(opener(openEmbedded))
  })
  describe.skipIf(requireOrSkip('postgres'))('on postgres', () => {
    suite(opener(openServer))
  })
}

interface Opened {
  readonly database: Database
  dispose(): Promise<void>
}

function opener(make: () => Promise<Opened>): OpenDatabase {
  const all: Opened[] = []
  afterAll(async () => {
    for (const opened of all.splice(0)) {
      await opened.database.close()
      await opened.dispose()
    }
  })
  return async () => {
    const opened = await make()
    all.push(opened)
    return opened.database
  }
}

// Without fsync: these databases have no crash to survive, and the suite is several times faster.
async function openEmbedded(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-pglite-'))
  await copyTemplate(join(folder, 'db'))
  return {
    database: await openPglite(join(folder, 'db'), 'off'),
    dispose: () => rm(folder, { recursive: true }),
  }
}

async function openServer(): Promise<Opened> {
  const made = await createDatabase()
  const database = await openPostgres(made.url)
  await migrate(database)
  return { database, dispose: () => made.drop() }
}
