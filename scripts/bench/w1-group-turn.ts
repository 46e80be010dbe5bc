import type { Database } from '@arbe/core/db/executor'
import type { Entry, ThreadId } from '@arbe/sdk'
import { setTimeout } from 'node:timers/promises'
import { readTalk, type Talk } from '../../test/support/lengthen-thread.ts'
import { openTalkingHouse, type TalkingHouse } from '../../test/support/talking-house.ts'
import { onEachEngine } from './on-each-engine.ts'
import type { Report } from './report.ts'
import { serverProcesses, watchCpu } from './server-cpu.ts'

const CALLERS = [1, 32]
const SLICE_MS = 3_000
const ROUNDS = 3
const TURNS_A_THREAD = 10

/** A message to four bots, one paid decision and one reply, all of it durable, against the same entries written by hand in three commits. */
export async function run(report: Report): Promise<void> {
  await onEachEngine(async (database) => {
    await prepareByHand(database)
    await using house = await openTalkingHouse(database)
    const first = await house.newThread()
    for (let turn = 0; turn < TURNS_A_THREAD; turn += 1) await house.say(first, question)
    const talk = await readTalk(database, { houseId: house.houseId, threadId: first })
    for (const callers of CALLERS) await measure({ database, house, talk, callers, report })
  })
}

const question = { kind: 'chat', text: 'What follows from that, and who should look?' } as const

interface Bench {
  readonly database: Database
  readonly house: TalkingHouse
  readonly talk: Talk
  readonly callers: number
  readonly report: Report
}

async function measure({ database, house, talk, callers, report }: Bench): Promise<void> {
  const entries = talk.entries.slice(0, talk.entries.length / TURNS_A_THREAD)
  let n = 0
  const byHand = async () => async () =>
    await writeByHand(database, entries, `hand_${callers}_${n++}`)
  const turns = async () => {
    let threadId: ThreadId | undefined
    let said = 0
    return async () => {
      if (threadId === undefined || said++ % TURNS_A_THREAD === 0)
        threadId = await house.newThread()
      await house.say(threadId, question)
    }
  }
  await slice(callers, turns)
  const [hand, ours] = [newSum(), newSum()]
  const commits = await commitsOf(database)
  for (let round = 0; round < ROUNDS; round += 1) {
    await addSlice(database, hand, () => slice(callers, byHand))
    await addSlice(database, ours, () => slice(callers, turns))
  }
  const name = `${database.engine}, ${callers} at once`
  report({ figure: `${name}: written by hand`, value: rateOf(hand), unit: 'turns/s' })
  report({ figure: `${name}: group turns`, value: rateOf(ours), unit: 'turns/s' })
  report({ figure: `${name}: group turns`, value: rateOf(ours) / rateOf(hand), unit: '× by hand' })
  report({ figure: `${name}: processor time`, value: ours.cpu / ours.done, unit: 's/1,000 turns' })
  if (database.engine === 'pglite') return
  report({
    figure: `${name}: of the server`,
    value: ours.server / ours.done,
    unit: 's/1,000 turns',
  })
  const written = (await commitsOf(database)) - commits - hand.done * 3
  report({ figure: `${name}: transactions`, value: written / ours.done, unit: '1/turn' })
}

interface Sum {
  done: number
  ms: number
  cpu: number
  server: number
}

const newSum = (): Sum => ({ done: 0, ms: 0, cpu: 0, server: 0 })
const rateOf = ({ done, ms }: Sum): number => (done * 1_000) / ms

async function addSlice(db: Database, sum: Sum, work: () => Promise<number>): Promise<void> {
  const server = watchCpu(await serverProcesses(db))
  const before = process.cpuUsage()
  const start = performance.now()
  sum.done += await work()
  sum.ms += performance.now() - start
  const { user, system } = process.cpuUsage(before)
  sum.cpu += (user + system) / 1_000
  sum.server += server()
}

/** How many calls ended, each caller waiting for its own before the next. */
async function slice(
  callers: number,
  makeCall: () => Promise<() => Promise<void>>,
): Promise<number> {
  const start = performance.now()
  let done = 0
  const all = Array.from({ length: callers }, async () => {
    const call = await makeCall()
    while (performance.now() - start < SLICE_MS) {
      await call()
      done += 1
    }
  })
  await Promise.all(all)
  return done
}

async function prepareByHand(db: Database): Promise<void> {
  await db.exec(`
    create table hand_entries (
      house_id text not null, thread_id text not null, seq bigint not null, key text not null, kind text not null,
      body jsonb not null, created_at timestamptz not null default clock_timestamp(),
      primary key (house_id, thread_id, seq), unique (thread_id, key)
    )`)
}

/** The message, the decision, and the rest in a commit each: what a program without a lease, a queue or recovery would do. */
async function writeByHand(
  db: Database,
  [message, decision, ...rest]: readonly Entry[],
  thread: string,
): Promise<void> {
  for (const batch of [[message], [decision], rest])
    await db.query(
      `insert into hand_entries (house_id, thread_id, seq, key, kind, body)
        select 'hse_hand', $1, seq, key, kind, body
          from jsonb_to_recordset($2::jsonb) as (seq bigint, key text, kind text, body jsonb)`,
      [thread, JSON.stringify(batch)],
    )
}

/** The server counts a session's commits within a second of its last one. */
async function commitsOf(db: Database): Promise<number> {
  if (db.engine === 'pglite') return 0
  await setTimeout(1_500)
  const [row] = await db.query<{ commits: number }>(
    'select xact_commit::int as commits from pg_stat_database where datname = current_database()',
  )
  return row?.commits ?? 0
}
