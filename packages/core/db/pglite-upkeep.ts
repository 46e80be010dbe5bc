import { setTimeout as sleep } from 'node:timers/promises'

import type { Executor } from './executor.ts'

const EVERY_MS = 60_000

/**
 * Does what a server's autovacuum does, which the embedded engine lacks: without it plans made for empty tables stay when these
 * are full, and after two thousand million transactions the engine stops. Until the signal.
 */
export async function keepUp(executor: Executor, signal: AbortSignal): Promise<void> {
  for (;;) {
    // Nobody waits for it: it does not keep the process alive.
    await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    // Whatever is wrong, the statements that people wait for say it louder; the next round tries again.
    await vacuumChanged(executor).catch(() => undefined)
  }
}

/** One statement a table, so that others get their turn in between. The thresholds are a server's own. */
export async function vacuumChanged(executor: Executor): Promise<readonly string[]> {
  // What this session counted is kept back for a while otherwise.
  await executor.query('select pg_stat_force_next_flush()')
  const tables = await executor.query<{ name: string }>(
    `select quote_ident(s.relname) as name
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
        or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
        or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
        or age(c.relfrozenxid) > 100000000
      order by s.relname`,
  )
  for (const { name } of tables) await executor.query(`vacuum (analyze) ${name}`)
  return tables.map(({ name }) => name)
}
