import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'

import { startPostgresServer } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresOwner: string
  }
}

/**
 * The global set-up of a test run. Test files live in processes of their own, so the one server they
 * share belongs to the process above them; it starts when the first of them asks for its port.
 */
export default async function ownPostgres(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined
  const door = createServer((_request, response) => {
    started ??= startPostgresServer()
    started.then(
      (server) => response.end(String(server.port)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  if (address === null || typeof address === 'string') throw new Error('no free loopback port')
  project.provide('postgresOwner', `http://127.0.0.1:${address.port}`)
  return async () => {
    door.closeAllConnections()
    door.close()
    const server = await started?.catch(() => undefined)
    await server?.[Symbol.asyncDispose]()
  }
}
