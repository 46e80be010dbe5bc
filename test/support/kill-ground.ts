import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type DatabasePlace } from '../../packages/core/db/open-db.ts'
import { arrangeHouse, giveBox } from './arranged-house.ts'
import type { HouseOrder, KillPoint, ThreadReport } from './killed-house-order.ts'
import { createDatabase } from './postgres.ts'
import { type HouseRun, reportIn, runHouse } from './run-house.ts'

/** What is said in the thread, and how the process goes about it that is to die, and the one after it. */
export interface Scene {
  readonly says: string
  readonly first?: Partial<HouseOrder>
  readonly afterwards?: Partial<HouseOrder>
}

/** A thread whose process was killed, once or more often, and that came to rest under another. */
export interface Survivor {
  readonly threadId: string
  readonly points: readonly KillPoint[]
  readonly killed: readonly HouseRun[]
  readonly last: HouseRun
}

/** A thread a list of kills, each of them in a process of its own, one after the other. */
export type KillGround = (
  scene: Scene,
  lists: readonly (readonly KillPoint[])[],
) => Promise<readonly Survivor[]>

/** Nobody is killed: what there is to pass, and what comes of it. */
export async function undisturbed(ground: KillGround, scene: Scene): Promise<Survivor> {
  const [only] = await ground({ ...scene, afterwards: scene.first ?? {} }, [[]])
  if (only === undefined) throw new Error('one list gives one survivor')
  return only
}

/** Threads on one server die three at a time. */
export const serverGround: KillGround = async (scene, lists) => {
  const made = await createDatabase()
  try {
    return await killEach({ place: { url: made.url }, lanes: 3 }, scene, lists)
  } finally {
    await made.drop()
  }
}

/** One folder for all of them: each process finds it as the one before was killed on it. */
export const embeddedGround: KillGround = async (scene, lists) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'arbe-killed-'))
  try {
    return await killEach({ place: { dataDir }, lanes: 1 }, scene, lists)
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

interface Site {
  readonly place: DatabasePlace
  readonly lanes: number
}

/** When all of their processes are dead, one more takes up what they left. */
async function killEach(
  { place, lanes }: Site,
  { says, first, afterwards }: Scene,
  lists: readonly (readonly KillPoint[])[],
): Promise<readonly Survivor[]> {
  const db = await openDatabase(place)
  const cases: Omit<Survivor, 'last' | 'killed'>[] = []
  for (const points of lists) {
    const house = await arrangeHouse(db, says)
    if (first?.isCommand === true) await giveBox(db, house)
    cases.push({ points, threadId: house.threadId })
  }
  await db.close()
  const dead = await inLanes(lanes, cases, async ({ points, threadId }) => {
    const killed: HouseRun[] = []
    for (const killAt of points) {
      killed.push(await runHouse({ isLater: killed.length > 0, ...first, place, threadId, killAt }))
    }
    return { threadId, points, killed }
  })
  const last = await runHouse({ isLater: true, ...afterwards, place })
  return dead.map((one) => ({ ...one, last }))
}

export function reportOf({ threadId, last }: Survivor): ThreadReport {
  const report = reportIn(last).threads.find((one) => one.threadId === threadId)
  if (report === undefined) throw new Error(`no report of ${threadId}`)
  return report
}

export function errorsOf({ last }: Survivor): readonly string[] {
  return reportIn(last).errors
}

/** How often the model was asked in the turns of a thread. */
export function callsIn(run: HouseRun, threadId: string): number {
  return run.lines.filter((line) => line.type === 'call' && line.threadId === threadId).length
}

/** How often a command of a thread's turns has run. */
export function commandsIn(run: HouseRun, threadId: string): number {
  return run.lines.filter((line) => line.type === 'command' && line.threadId === threadId).length
}

/** In the order passed. */
export function pointsIn(run: HouseRun, among: KillPoint['among']): readonly string[] {
  return run.lines.flatMap((line) =>
    line.type === 'point' && line.among === among ? [line.text] : [],
  )
}

export async function inLanes<Item, Result>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
