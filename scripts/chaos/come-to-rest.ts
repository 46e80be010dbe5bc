import { checkStream } from '../../test/support/check-stream.ts'
import { untilQuiet } from '../../test/support/until-quiet.ts'
import { setTimeout } from 'node:timers/promises'
import type { ChaosStage } from './chaos-stage.ts'
import type { ThreadLogs } from './thread-logs.ts'

/** After this long without anything new a house whose rows nobody can look at is taken to rest. */
const STILL_MS = 2_500

/** Waits until nothing is left to do, and reads the streams; what does not come to rest in time. */
export async function comeToRest(stage: ChaosStage): Promise<readonly string[]> {
  const { house, logs, order } = stage
  try {
    if (house.db === undefined) await untilStill(logs, order.restMs)
    else await untilQuiet(house.db, order.restMs, { sweeps: order.sweepMs !== 'off' })
    await logs.readOn()
    return []
  } catch (error) {
    await logs.readOn()
    return [`I7: ${String(error)}`]
  }
}

export async function untilStill(logs: ThreadLogs, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  let entries = 0
  let since = performance.now()
  while (performance.now() - since < STILL_MS) {
    if (performance.now() > deadline) throw new Error(`not at rest after ${withinMs} ms`)
    await logs.readOn()
    const all = [...logs.of.values()]
    const now = all.reduce((sum, { length }) => sum + length, 0)
    const isOpen = all.some((log) => checkStream(log, { quiet: true }).length > 0)
    if (isOpen || now !== entries) since = performance.now()
    entries = now
    await setTimeout(200)
  }
}
