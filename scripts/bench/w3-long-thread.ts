import type { Database } from '@arbe/core/db/executor'
import type { ThreadId } from '@arbe/sdk'
import { lengthenThread, readTalk } from '../../test/support/lengthen-thread.ts'
import { median } from './median.ts'
import { onEachEngine } from './on-each-engine.ts'
import type { Report } from './report.ts'
import { serverProcesses, watchCpu } from './server-cpu.ts'
import { openTalkingHouse, type TalkingHouse } from '../../test/support/talking-house.ts'

const SHORT = 100
const LONG = [1_000, 10_000, 100_000]
const TURNS = 150
/** A short thread must not become a long one by being measured. */
const TURNS_A_THREAD = 10
/** The first turns fill the caches of what the director and the engine keep. */
const WARM_UP = 3

/** One group turn, chosen by a paid decision, in threads of different lengths: what it costs must not grow with what was said before. */
export async function run(report: Report): Promise<void> {
  await onEachEngine(async (database) => {
    await using house = await openTalkingHouse(database)
    await measure(database, house, report)
  })
}

async function measure(db: Database, house: TalkingHouse, report: Report): Promise<void> {
  const runs = await makeRuns(db, house)
  for (let turn = 0; turn < TURNS; turn += 1) {
    const backends = await serverProcesses(db)
    // All lengths in every round, so that what else the machine does falls on all alike.
    for (const { threads, turns } of runs) {
      const threadId = threads[Math.floor(turn / TURNS_A_THREAD) % threads.length]
      if (threadId !== undefined) turns.push(await measureTurn(house, threadId, backends))
    }
  }
  const [short, ...long] = runs
  if (short !== undefined) tell({ db, report, short, long })
}

interface Run {
  readonly length: number
  readonly threads: readonly ThreadId[]
  readonly turns: Turn[]
}

async function makeRuns(db: Database, house: TalkingHouse): Promise<readonly Run[]> {
  const first = await house.newThread()
  for (let turn = 0; turn < 10; turn += 1) await house.say(first, question(turn))
  const talk = await readTalk(db, { houseId: house.houseId, threadId: first })
  const runs: Run[] = []
  for (const length of [SHORT, ...LONG]) {
    const threads: ThreadId[] = []
    const count = length <= 1_000 ? TURNS / TURNS_A_THREAD : 1
    while (threads.length < count) {
      const threadId = await house.newThread()
      await lengthenThread(db, { houseId: house.houseId, threadId }, { talk, length })
      for (let turn = 0; turn < WARM_UP; turn += 1) await house.say(threadId, question(turn))
      threads.push(threadId)
    }
    runs.push({ length, threads, turns: [] })
  }
  await db.exec('analyze entries')
  return runs
}

const question = (turn: number) =>
  ({
    kind: 'chat',
    text: `What follows from point ${turn} for the plan, and who should look at it next?`,
  }) as const

/** All in milliseconds. */
interface Turn {
  readonly wall: number
  readonly cpu: number
  /** Of the database server, where that is a process of its own. */
  readonly server: number
}

async function measureTurn(
  house: TalkingHouse,
  threadId: ThreadId,
  backends: readonly number[],
): Promise<Turn> {
  const server = watchCpu(backends)
  const before = process.cpuUsage()
  const start = performance.now()
  await house.say(threadId, question(start))
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { wall, cpu: (user + system) / 1_000, server: server() }
}

interface Measured {
  readonly db: Database
  readonly report: Report
  readonly short: Run
  readonly long: readonly Run[]
}

function tell({ db: { engine }, report, short, long }: Measured): void {
  const kinds =
    engine === 'pglite' ? (['cpu', 'wall'] as const) : (['cpu', 'server', 'wall'] as const)
  for (const kind of kinds) {
    const ofShort = median(short.turns.map((turn) => turn[kind]))
    const name = `${engine}: ${NAMES[kind]}`
    report({ figure: `${name}, ${SHORT} entries before`, value: ofShort, unit: 'ms' })
    for (const { length, turns } of long) {
      const value = median(turns.map((turn) => turn[kind])) / ofShort
      report({ figure: `${name}, ${length} entries before`, value, unit: `× ${SHORT} before` })
    }
  }
}

const NAMES = {
  cpu: 'processor time of a turn',
  server: "processor time of a turn's statements on the server",
  wall: 'median duration of a turn',
}
