import type { Database } from '@arbe/core/db/executor'
import { openDatabase } from '@arbe/core/db/open-db'
import { createClient, type ArbeClient } from '@arbe/sdk/client'
import { join } from 'node:path'
import {
  freePort,
  type PostgresServer,
  startPostgresServer,
} from '../../test/support/postgres-server.ts'
import { providerEnv } from '../../test/support/open-house.ts'
import { signIn } from '../../test/support/sign-in.ts'
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts'
import type { ChaosOrder } from './chaos-order.ts'
import { plantEnv, plantInDatabase } from './plants.ts'
import { SupervisedProgram } from './supervised-program.ts'
import type { Weathers } from './weathers.ts'

/** A program with the proxies that stand between it and what it needs. */
export interface ChaosProgram extends SupervisedProgram {
  readonly database: TcpProxy | undefined
  readonly provider: TcpProxy
}

export interface ChaosHouse extends AsyncDisposable {
  readonly programs: readonly ChaosProgram[]
  readonly server: PostgresServer | undefined
  /** Beside the programs; undefined on the embedded engine, whose folder belongs to its process. */
  readonly db: Database | undefined
  readonly dataDir: string
  /** Each person as a client of each page server, through its proxy. */
  readonly people: readonly (readonly ArbeClient[])[]
  /** Addresses of the page servers' proxies, and a session's token for each person. */
  readonly fronts: readonly string[]
  readonly tokens: readonly string[]
  /** The first person, straight to each page server. */
  readonly readers: readonly ArbeClient[]
  /** The first person through the proxies, for what stays open: these never give up. */
  readonly watchers: readonly ArbeClient[]
  /** SIGTERM to all: whatever they complain of is in their complaints then. */
  close(): Promise<void>
}

/** What is there before the house is. */
export interface Around {
  readonly providerPort: number
  readonly weathers: Weathers
}

/** Processes as they are really started: page servers and workers on a Postgres of their own, or one with both on a folder. */
export async function startChaosHouse(order: ChaosOrder, around: Around): Promise<ChaosHouse> {
  await using starting = new AsyncDisposableStack()
  const server = order.engine === 'postgres' ? await startPostgresServer() : undefined
  if (server !== undefined) starting.use(server)
  const url = (await server?.createDatabase())?.url
  const db =
    url === undefined ? undefined : await openDatabase({ url: `${url}?application_name=chaos` })
  starting.defer(async () => db?.close())
  const programs: ChaosProgram[] = []
  starting.defer(async () => void (await Promise.all(programs.map((one) => one.destroy()))))
  const place: Place = { order, around, server, url, dataDir: join(order.folder, 'data'), starting }
  const begin = async (name: string, args: readonly string[]): Promise<ChaosProgram> => {
    const program = await beginProgram(place, name, args)
    programs.push(program)
    return program
  }

  const fronts: Front[] = []
  let tokens: readonly string[] = []
  for (let n = 1; n <= (db === undefined ? 1 : order.pages); n += 1) {
    const port = await freePort()
    const [name, command] = db === undefined ? ['house', 'start'] : [`www-${n}`, 'www']
    const program = await begin(name, [command, '--port', String(port)])
    const greeting = JSON.parse(await program.greeting)
    // The next page server makes a new link, and this one is void then.
    if (n === 1) tokens = await signAllIn(greeting.ownerLink)
    const proxy = starting.use(await startTcpProxy(port, around.weathers.front))
    fronts.push({ own: greeting.url, url: proxy.url })
  }
  if (db !== undefined) {
    await plantInDatabase(db, order.plant)
    for (let n = 1; n <= order.workers; n += 1) await begin(`worker-${n}`, ['backstage'])
  }
  const running = starting.move()
  return {
    programs,
    server,
    db,
    dataDir: place.dataDir,
    fronts: fronts.map((front) => front.url),
    tokens,
    people: tokens.map((token) => fronts.map((front) => impatientClient(front.url, token))),
    readers: fronts.map(({ own }) => createClient({ baseUrl: own, token: tokens[0] })),
    watchers: fronts.map((front) => createClient({ baseUrl: front.url, token: tokens[0] })),
    close: async () => void (await Promise.all(programs.map((one) => one.close()))),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

interface Place {
  readonly order: ChaosOrder
  readonly around: Around
  readonly server: PostgresServer | undefined
  readonly url: string | undefined
  readonly dataDir: string
  readonly starting: AsyncDisposableStack
}

interface Front {
  readonly own: string
  readonly url: string
}

async function beginProgram(
  { order, around, server, url, dataDir, starting }: Place,
  name: string,
  args: readonly string[],
): Promise<ChaosProgram> {
  const provider = starting.use(await startTcpProxy(around.providerPort, around.weathers.provider))
  const database =
    server && starting.use(await startTcpProxy(server.port, around.weathers.database))
  const env = {
    HOME: order.folder,
    ARBE_LEASE_MS: String(order.leaseMs),
    ARBE_SWEEP_MS: String(order.sweepMs),
    ARBE_MODEL_IDLE_MS: String(order.modelIdleMs),
    ARBE_QUIET_MS: '100',
    ARBE_CHANGES_PER_SECOND: '1000',
    ...providerEnv({ kind: 'openai', baseUrl: `${provider.url}/${name}/v1` }),
    ...plantEnv(order.plant),
    ...(url === undefined || database === undefined
      ? { ARBE_DATA: dataDir }
      : { DATABASE_URL: url.replace(`:${server?.port}/`, `:${database.port}/`) }),
  }
  const program = new SupervisedProgram({ name, args, env, folder: order.folder })
  return Object.assign(program, { database, provider })
}

async function signAllIn(ownerLink: string): Promise<readonly string[]> {
  const { client, token } = await signIn(ownerLink, 'Mia')
  const tokens = [token]
  for (const name of ['Ben', 'Cleo', 'Dan']) {
    const { url } = await client.invite()
    tokens.push((await signIn(url, name)).token)
  }
  return tokens
}

/** Gives a request up after a while, as people do: what was sent may have arrived. */
function impatientClient(baseUrl: string, token: string): ArbeClient {
  return createClient({
    baseUrl,
    token,
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(5_000) }),
  })
}
