import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fdatasyncSync } from 'node:fs'

import { DurableNodeFS } from './durable-node-fs.ts'
import { EmbeddedEngine } from './embedded-engine.ts'
import type { Database, Executor } from './executor.ts'
import { type OpenEngine, keepOpen } from './keep-open.ts'

/** `off` is for the template and for tests: a crash of the machine may then lose or tear what was acknowledged. */
export type Fsync = 'off' | ((file: number) => void)

/** Postgres inside this process, on a folder that no other process may have open. One that breaks is opened again. */
export async function openPglite(folder: string, fsync: Fsync = fdatasyncSync): Promise<Database> {
  const kept = await keepOpen(folder, (onBroken) => openEngine(folder, fsync, onBroken))
  const executor: Executor = {
    query: async (sql, params) => executorOf(kept.engine()).query(sql, params),
  }
  return {
    ...executor,
    engine: 'pglite',
    renewals: executor,
    transaction: async (work) => kept.engine().transaction((tx) => work(executorOf(tx))),
    exec: async (sql) =>
      kept.engine().transaction(async (tx) => {
        await tx.exec(sql)
      }),
    listen: async (channel, onPayload) => {
      const engine = kept.engine()
      const stop = await engine.listen(channel, onPayload)
      return async () => {
        if (!engine.closed) await stop()
      }
    },
    close: () => kept.close(),
  }
}

async function openEngine(
  folder: string,
  fsync: Fsync,
  onBroken: (cause: Error) => void,
): Promise<OpenEngine> {
  const fs = fsync === 'off' ? new NodeFS(folder) : new DurableNodeFS(folder, fsync)
  const abandon = (): void => {
    if (fs instanceof DurableNodeFS) fs.abandon()
  }
  const engine = new EmbeddedEngine({ fs, ...(fsync !== 'off' && durable()) }, onBroken)
  try {
    await engine.waitReady
  } catch (error) {
    abandon()
    throw error
  }
  return { engine, abandon }
}

function durable(): { readonly startParams: string[] } {
  const params = PGlite.defaultStartParams.filter((param) => param !== '-F')
  return { startParams: [...params, '-c', 'wal_sync_method=fsync'] }
}

function executorOf(session: Pick<PGlite, 'query'>): Executor {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      const { rows } = await session.query<Row>(sql, [...params])
      return rows
    },
  }
}
