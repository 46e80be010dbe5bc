import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Database } from '../../packages/core/db/executor.ts'
import { openDatabase } from '../../packages/core/db/open-db.ts'
import type { EntryDraft } from '../../packages/core/streams/entry-draft.ts'
import { groupAppender } from '../../packages/core/streams/group-appender.ts'
import { findPostgresFolder, startPostgresServer } from '../../test/support/postgres-server.ts'

interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
}
type Report = (figure: Figure) => void

const CALLERS = 64
const THREADS = 1_000
const SLICE_MS = 1_500
const ROUNDS = 3

/** Append + wake from 64 callers, against raw single-row inserts by the same callers, in interleaved rounds. */
export async function run(report: Report): Promise<void> {
  await onPglite(report)
  if (findPostgresFolder() !== undefined) await onPostgres(report)
}

async function onPglite(report: Report): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'arbe-w6-'))
  const database = await openDatabase({ dataDir })
  await measure(database, report)
  await database.close()
  await rm(dataDir, { recursive: true })
}

async function onPostgres(report: Report): Promise<void> {
  await using server = await startPostgresServer()
  const { url } = await server.createDatabase()
  const database = await openDatabase({ url })
  await measure(database, report)
  await database.close()
}

async function measure(database: Database, report: Report): Promise<void> {
  await prepare(database)
  const append = groupAppender(database, () => undefined)
  let n = 0
  const ways = {
    raw: () => rawInsert(database, n++),
    hot: () => append(draft(n++, 0)),
    many: () => append(draft(n++, n % THREADS)),
  }
  const rates = { raw: 0, hot: 0, many: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    rates.raw += (await rate(ways.raw)) / ROUNDS
    rates.hot += (await rate(ways.hot)) / ROUNDS
    rates.many += (await rate(ways.many)) / ROUNDS
  }
  const { engine } = database
  report({ figure: `w6.${engine}.raw`, value: rates.raw, unit: 'inserts/s' })
  report({ figure: `w6.${engine}.hot`, value: rates.hot, unit: 'appends/s' })
  report({ figure: `w6.${engine}.hot.ratio`, value: rates.hot / rates.raw, unit: '× raw' })
  report({ figure: `w6.${engine}.threads`, value: rates.many, unit: 'appends/s' })
  report({ figure: `w6.${engine}.threads.ratio`, value: rates.many / rates.raw, unit: '× raw' })
}

async function prepare(database: Database): Promise<void> {
  await database.exec(`
    insert into houses (id, name) values ('hse_w6', 'W6');
    insert into threads (house_id, id, created_by)
      select 'hse_w6', 'thr_' || n, 'usr_w6' from generate_series(0, ${THREADS - 1}) n;
    create table raw_rows (
      house_id text not null, thread_id text not null, seq bigint not null, body jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (house_id, thread_id, seq)
    );`)
}

async function rawInsert(database: Database, n: number): Promise<void> {
  await database.query('insert into raw_rows values ($1, $2, $3, $4::jsonb)', [
    'hse_w6',
    `thr_${n % THREADS}`,
    n,
    JSON.stringify({ text: `message ${n}` }),
  ])
}

function draft(n: number, thread: number): EntryDraft {
  return {
    houseId: toHouseId('hse_w6'),
    threadId: toThreadId(`thr_${thread}`),
    key: `pat:usr_w6:${n}`,
    kind: 'chat',
    authorId: toActorId('usr_w6'),
    authorKind: 'person',
    wakes: true,
    readable: true,
    body: { text: `message ${n}` },
  }
}

/** Calls a second that ended, with every caller waiting for its own before the next. */
async function rate(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  let done = 0
  const callers = Array.from({ length: CALLERS }, async () => {
    while (performance.now() - start < SLICE_MS) {
      await call()
      done += 1
    }
  })
  await Promise.all(callers)
  return (done * 1_000) / (performance.now() - start)
}
