import { inject } from 'vitest'

import { createDatabase as createDatabaseOn, findPostgresFolder } from './postgres-server.ts'
import type { TestDatabase } from './postgres-server.ts'

/** An empty database on the one server of this test run, which starts with the first call. */
export async function createDatabase(): Promise<TestDatabase> {
  const programs = findPostgresFolder()
  if (programs === undefined) throw new Error('no Postgres: apt-get install postgresql')
  const response = await fetch(inject('postgresOwner'))
  const answer = await response.text()
  if (!response.ok) throw new Error(`the Postgres of this test run did not start: ${answer}`)
  return createDatabaseOn({ programs, port: Number(answer) })
}
