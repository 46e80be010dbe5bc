import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import type { Database } from '@arbe/core/db/executor'
import type { EntryDraft } from '@arbe/core/streams/entry-draft'
import { groupAppender } from '@arbe/core/streams/group-appender'

import { onEachEngine } from './on-each-engine.ts'
import type { Report } from './report.ts'

const CALLERS = 64
const THREADS = 1_000
const SLICE_MS = 1_500
const ROUNDS = 3

/** Append + wake from 64 callers, against raw single-row inserts by the same callers, in interleaved rounds. */
export async function run(report: Report): Promise<void> {
  await onEachEngine((database) => measure(database, report))
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
  report({ figure: `${engine}: raw single-row inserts`, value: rates.raw, unit: '1/s' })
  report({ figure: `${engine}: append + wake, one hot thread`, value: rates.hot, unit: '1/s' })
  report({
    figure: `${engine}: one hot thread against raw`,
    value: rates.hot / rates.raw,
    unit: '× raw',
  })
  report({ figure: `${engine}: append + wake, 1,000 threads`, value: rates.many, unit: '1/s' })
  report({
    figure: `${engine}: 1,000 threads against raw`,
    value: rates.many / rates.raw,
    unit: '× raw',
  })
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
