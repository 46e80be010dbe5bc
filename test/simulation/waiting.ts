import type { ThreadId } from '@arbe/sdk'
import { isRunning } from '../../packages/core/thread-director/thread-director-memory-rows.ts'
import { requireThread, type SimulatedHouse } from './house.ts'

/** How long each thread has had something to decide, or a turn to take up, while nobody held it and nothing kept it back. */
export interface Waiting {
  /** Called whenever time may have passed. */
  look(now: number, someoneServes: boolean): void
  readonly found: readonly string[]
}

export function watchWaiting({ house, threadIds }: SimulatedHouse, mostMs: number): Waiting {
  const since = new Map<ThreadId, number>()
  const found: string[] = []

  function waits(id: ThreadId): boolean {
    const row = house.directors.get(id)
    const { wakeHead } = requireThread(house, id)
    if (row === undefined) return wakeHead > 0
    if (row.leaseUntil > house.now() || row.retryAt > house.now()) return false
    return wakeHead > row.decidedOffset || isRunning(row)
  }

  return {
    found,
    look(now, someoneServes) {
      for (const id of threadIds) {
        if (!someoneServes || !waits(id)) {
          since.delete(id)
          continue
        }
        const from = since.get(id)
        if (from === undefined) since.set(id, now)
        else if (now - from > mostMs && !found.some((one) => one.includes(id)))
          found.push(`I7: ${id} has waited since ${from} and nobody holds it at ${now}`)
      }
    },
  }
}
