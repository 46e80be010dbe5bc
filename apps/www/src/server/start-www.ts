import { getRequestListener } from '@hono/node-server'
import { findFirstHouse, renewOwnerLink } from '@arbe/core/access/houses'
import type { Database, Executor } from '@arbe/core/db/executor'
import type { SandboxRuntimes } from '@arbe/core/dispatch/sandbox'
import type { Models } from '@arbe/core/models/model'
import { groupAppender } from '@arbe/core/streams/group-appender'
import type { LiveBus } from '@arbe/core/streams/live-bus'
import type { LiveTail } from '@arbe/core/streams/live-tail'
import type { DirectorStore } from '@arbe/core/thread-director/thread-director-port'
import type { MessageDoor } from '@arbe/core/threads/append-message'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { createApp } from './app.ts'
import { ConfigError, type WwwConfig } from './config.ts'
import { createDemoHouse } from './demo-house.ts'
import { LiveFeeds } from './live-feeds.ts'

export interface WwwParts {
  readonly db: Database
  readonly tail: LiveTail
  readonly bus: LiveBus
  readonly models: Models
  readonly runtimes: SandboxRuntimes
  readonly director: Pick<DirectorStore, 'stop'>
  readonly config: WwwConfig
  readonly onError: (error: unknown) => void
}

export interface Www {
  readonly url: string
  /** Signs the owner in, once; undefined when an owner has been here. */
  readonly ownerLink: string | undefined
  close(): Promise<void>
}

/** Serves the house over HTTP. The first start makes the demo house. */
export async function startWww(parts: WwwParts): Promise<Www> {
  const { db, tail, bus, config, onError } = parts
  const token = await db.transaction(prepareHouse)
  const server = await listen(config)
  const feeds = new LiveFeeds({ db, tail, bus, onError })
  const app = createApp({ ...parts, feeds, door: openDoor(parts) })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  server.on('request', (request, response) => void answer(request, response).catch(onError))
  server.on('error', onError)
  const url = config.origin ?? localUrl(server, config.host)
  return {
    url,
    ownerLink: token === undefined ? undefined : `${url}/join/${token}`,
    async close() {
      feeds.close()
      await closeServer(server)
    },
  }
}

/** Several servers may start on one database at once: one of them makes the house. */
async function prepareHouse(tx: Executor): Promise<string | undefined> {
  await tx.query('lock table houses in exclusive mode')
  const house = await findFirstHouse(tx)
  const houseId = house === undefined ? (await createDemoHouse(tx)).houseId : house.id
  return (await renewOwnerLink(tx, houseId))?.token
}

/** Every append of this process goes one way: together with what else waits, and told to who follows after its commit. */
function openDoor({ db, bus, director }: WwwParts): MessageDoor {
  return {
    db,
    append: groupAppender(db, (hint) => bus.appended(hint)),
    async stop(order) {
      await director.stop(order)
      bus.publish({ type: 'stop', threadId: order.threadId })
    },
  }
}

async function listen({ host, port }: WwwConfig): Promise<Server> {
  const server = createServer()
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(`ARBE_PORT is ${port}, and ${host} does not let it be opened.`, { cause })
  }
  return server
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A feed that was ended leaves its connection open, and its reader would come back here by it instead of going elsewhere.
  const sweeps = setInterval(() => server.closeIdleConnections(), 20)
  // What is being answered has a moment to end.
  const deadline = setTimeout(() => server.closeAllConnections(), 2_000)
  await closed
  clearTimeout(deadline)
  clearInterval(sweeps)
}

function localUrl(server: Server, host: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
