import type { Database } from '@arbe/core/db/executor'
import { openTalkingHouse, type TalkingHouse } from '../../test/support/talking-house.ts'
import { onEachEngine } from './on-each-engine.ts'
import { quantile } from './median.ts'
import type { Report } from './report.ts'
import { serverProcesses, watchCpu } from './server-cpu.ts'

const ROUNDS = 400
const WARM_UP = 20
/** Of one thread; a new one follows, so that none is the only one that is known. */
const ROUNDS_A_THREAD = 40

/** From the call of the door to the stored decision of a free rule, nothing else going on, against one bare insert of the same run. */
export async function run(report: Report): Promise<void> {
  await onEachEngine(async (database) => {
    await database.exec('create table raw_rows (seq bigint primary key, body jsonb not null)')
    await using house = await openTalkingHouse(database)
    await measure(database, house, report)
    await measureCpu(database, house, report)
  })
}

async function measure(db: Database, house: TalkingHouse, report: Report): Promise<void> {
  const decisions: number[] = []
  const inserts: number[] = []
  let threadId = await house.newThread()
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    if (round % ROUNDS_A_THREAD === 0) threadId = await house.newThread()
    const insert = await timeOfInsert(db, round)
    const start = performance.now()
    // Ends when the lease is given back, behind the decision: the next one begins in quiet.
    const { decidedAt } = await house.say(threadId, thanks)
    if (round < 0) continue
    inserts.push(insert)
    decisions.push(decidedAt - start)
  }
  for (const [name, part] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const value = quantile(decisions, part)
    const bare = quantile(inserts, part)
    report({ figure: `${db.engine}: append → decision stored, ${name}`, value, unit: 'ms' })
    report({ figure: `${db.engine}: bare insert, ${name}`, value: bare, unit: 'ms' })
    report({
      figure: `${db.engine}: against the insert, ${name}`,
      value: value / bare,
      unit: '× insert',
    })
  }
}

/** All that a message costs by which nobody speaks: its append, the claim, the capture, the rules, the decision, the release. */
async function measureCpu(db: Database, house: TalkingHouse, report: Report): Promise<void> {
  const server = watchCpu(await serverProcesses(db))
  const threadId = await house.newThread()
  const before = process.cpuUsage()
  for (let round = 0; round < ROUNDS; round += 1) await house.say(threadId, thanks)
  const { user, system } = process.cpuUsage(before)
  const value = (user + system) / 1_000 / ROUNDS
  report({ figure: `${db.engine}: a message and its free pass`, value, unit: 'ms processor time' })
  if (db.engine === 'pglite') return
  report({
    figure: `${db.engine}: the same, of the server`,
    value: server() / ROUNDS,
    unit: 'ms processor time',
  })
}

const thanks = { kind: 'chat', text: 'Thanks!' } as const

async function timeOfInsert(db: Database, n: number): Promise<number> {
  const start = performance.now()
  await db.query('insert into raw_rows values ($1, $2::jsonb)', [n, JSON.stringify(thanks)])
  return performance.now() - start
}
