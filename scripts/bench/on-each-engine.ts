import type { Database } from '@arbe/core/db/executor'
import { openDatabase } from '@arbe/core/db/open-db'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findPostgresFolder, startPostgresServer } from '../../test/support/postgres-server.ts'

/** The embedded engine as a house runs it, synced with each commit, and a private server with fsync where there is one. */
export async function onEachEngine(measure: (database: Database) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'arbe-bench-'))
  await measureOn(await openDatabase({ dataDir }), measure)
  await rm(dataDir, { recursive: true })
  if (findPostgresFolder() === undefined) return
  await using server = await startPostgresServer()
  const { url } = await server.createDatabase()
  await measureOn(await openDatabase({ url }), measure)
}

async function measureOn(
  database: Database,
  measure: (database: Database) => Promise<void>,
): Promise<void> {
  try {
    await measure(database)
  } finally {
    await database.close()
  }
}
