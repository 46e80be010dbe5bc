import { Client, TypeOverrides, types as defaultTypes } from 'pg'
import type { Database, Executor } from '../../packages/core/db/executor.ts'

/** A server's database through one connection, as the embedded engine has one: what is counted of a session is all of it. */
export async function openOneSession(url: string): Promise<Database> {
  const types = new TypeOverrides()
  types.setTypeParser(defaultTypes.builtins.INT8, Number)
  types.setTypeParser(INT8_ARRAY, (text) => JSON.parse(`[${text.slice(1, -1)}]`))
  const client = new Client({ connectionString: url, types })
  await client.connect()
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const session: Executor = {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      return (await client.query<Row>(sql, [...params])).rows
    },
  }
  const executor: Executor = { query: (sql, params) => inTurn(() => session.query(sql, params)) }
  return {
    ...executor,
    engine: 'postgres',
    renewals: executor,
    transaction: (work) =>
      inTurn(async () => {
        await client.query('begin')
        try {
          const result = await work(session)
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback')
          throw error
        }
      }),
    exec: (sql) => inTurn(async () => void (await client.query(sql))),
    // Nobody else is told, and nobody tells.
    listen: async () => async () => {},
    close: () => client.end(),
  }
}

const INT8_ARRAY = 1016
