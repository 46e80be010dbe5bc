import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fdatasyncSync } from 'node:fs'

import { DurableNodeFS } from './durable-node-fs.ts'
import type { Database, Executor } from './executor.ts'

/** `off` is for the template and for tests: a crash of the machine may then lose or tear what was acknowledged. */
export type Fsync = 'off' | ((file: number) => void)

/** Postgres inside this process, on a folder that no other process may have open. */
export async function openPglite(folder: string, fsync: Fsync = fdatasyncSync): Promise<Database> {
  const pglite = await PGlite.create(fsync === 'off' ? quick(folder) : durable(folder, fsync))
  const executor = executorOf(pglite)
  return {
    ...executor,
    engine: 'pglite',
    renewals: executor,
    transaction: (work) => pglite.transaction((tx) => work(executorOf(tx))),
    exec: (sql) =>
      pglite.transaction(async (tx) => {
        await tx.exec(sql)
      }),
    listen: async (channel, onPayload) => {
      const stop = await pglite.listen(channel, onPayload)
      return async () => {
        if (!pglite.closed) await stop()
      }
    },
    close: () => pglite.close(),
  }
}

function quick(folder: string): PGliteOptions {
  return { fs: new NodeFS(folder) }
}

function durable(folder: string, fsync: (file: number) => void): PGliteOptions {
  const params = PGlite.defaultStartParams.filter((param) => param !== '-F')
  return {
    fs: new DurableNodeFS(folder, fsync),
    startParams: [...params, '-c', 'wal_sync_method=fsync'],
  }
}

function executorOf(session: Pick<PGlite, 'query'>): Executor {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      const { rows } = await session.query<Row>(sql, [...params])
      return rows
    },
  }
}
