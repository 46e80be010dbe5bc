import {
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  TypeOverrides,
  types as defaultTypes,
} from 'pg'

import { DatabaseAway } from './database-away.ts'
import type { Database, Executor } from './executor.ts'
import { listenOn } from './postgres-listener.ts'

// The driver hands int8 and its arrays to the caller as text, and has no name for the latter.
const INT8_ARRAY = 1016
const types = new TypeOverrides()
types.setTypeParser(defaultTypes.builtins.INT8, Number)
types.setTypeParser(INT8_ARRAY, (text) =>
  JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`),
)

/** The server ends a statement first; this is for one that stands still and answers nothing at all. */
const PATIENCE_MS = 5_000

/** A Postgres server. Its connections come and go: a lost one fails the statement it carried and nothing else. */
export async function openPostgres(url: string): Promise<Database> {
  const config: PoolConfig = {
    connectionString: url,
    types,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'arbe',
  }
  const pool = quietPool({ ...config, max: 20, query_timeout: 30_000 + PATIENCE_MS })
  // Its own small pool: a renewal that waited behind the work it protects would come too late. It is connected from the start and
  // never for want of work disconnected, so that it needs no place on a server that has none left.
  const renewals = quietPool({
    ...config,
    max: 2,
    min: 1,
    statement_timeout: 4_000,
    query_timeout: PATIENCE_MS,
  })
  const listener = listenOn({ ...config, statement_timeout: 0 })
  await answers([pool, renewals], url)
  return {
    ...executorOf(pool),
    engine: 'postgres',
    renewals: executorOf(renewals),
    transaction: (work) => withClient(pool, (client) => inTransaction(client, work)),
    exec: (sql) => withClient(pool, (client) => inTransaction(client, () => execOn(client, sql))),
    listen: listener.listen,
    close: async () => {
      await Promise.all([listener.close(), pool.end(), renewals.end()])
    },
  }
}

// An 'error' without a listener would end the process; the statement that needed the connection fails by itself.
function quietPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}

function ignore(): void {}

async function answers(pools: readonly Pool[], url: string): Promise<void> {
  try {
    for (const pool of pools) await pool.query('select 1')
  } catch (cause) {
    await Promise.all(pools.map((pool) => pool.end()))
    const why = cause instanceof Error && cause.message !== '' ? cause.message : 'no connection'
    throw new Error(`no Postgres answers at ${withoutSecret(url)}: ${why}`, { cause })
  }
}

function withoutSecret(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

function executorOf(session: Pool | PoolClient): Executor {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      const { rows } = await session.query<Row>(sql, [...params]).catch(sayAway)
      return rows
    },
  }
}

/** What the driver says of its connection carries no code, unlike all that comes from the server or the network. */
function sayAway(error: unknown): never {
  if (error instanceof Error && error.constructor === Error && !('code' in error))
    throw new DatabaseAway(error.message, { cause: error })
  throw error
}

async function withClient<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch(sayAway)
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // Back to the pool only when it surely is outside a transaction.
    const isLost = error instanceof DatabaseAway
    client.release(isLost || (await client.query('rollback').then(() => false, toError)))
    throw error
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

async function inTransaction<Result>(
  client: PoolClient,
  work: (tx: Executor) => Promise<Result>,
): Promise<Result> {
  await client.query('begin').catch(sayAway)
  const result = await work(executorOf(client))
  const { command } = await client.query('commit').catch(sayAway)
  // The server answers so, without an error, when a failed statement was swallowed by the work.
  if (command === 'ROLLBACK') throw new Error('the transaction failed and was rolled back')
  return result
}

/** A migration takes the time it takes. */
async function execOn(client: PoolClient, sql: string): Promise<void> {
  const statements: QueryConfig & { readonly query_timeout: number } = {
    text: sql,
    query_timeout: 2 ** 31 - 1,
  }
  await client.query(statements)
}
