import { type ThreadId, toOffset } from '@arbe/sdk'
import type { MemoryDirector, MemoryHouse } from './thread-director-memory-house.ts'
import type { Lease } from './thread-director-port.ts'

/** The director's row, rebuilt from the stream when it is missing; undefined: no such thread. */
export function directorOf(house: MemoryHouse, id: ThreadId): MemoryDirector | undefined {
  const row = house.directors.get(id) ?? rebuilt(house, id)
  if (row !== undefined) house.directors.set(id, row)
  return row
}

/** The row while this lease holds it. */
export function heldBy(house: MemoryHouse, lease: Lease): MemoryDirector | undefined {
  const row = house.directors.get(lease.threadId)
  return row?.fence === lease.fence && row.leaseUntil > house.now() ? row : undefined
}

export function free(row: MemoryDirector, attempts: number): void {
  row.leaseUntil = 0
  row.attempts = attempts
}

export function isRunning({ lastDecision, lastOutcome }: MemoryDirector): boolean {
  return lastDecision !== undefined && lastDecision.speaker !== null && lastOutcome === undefined
}

function rebuilt(house: MemoryHouse, id: ThreadId): MemoryDirector | undefined {
  const thread = house.threads.get(id)
  if (thread === undefined) return undefined
  const last = thread.entries.findLast(({ kind }) => kind === 'signal.thread_director.decision')
  const row = { fence: 0, leaseUntil: 0, attempts: 0, retryAt: 0 }
  if (last?.kind !== 'signal.thread_director.decision') {
    return {
      ...row,
      d: 0,
      decidedOffset: toOffset(0),
      lastDecision: undefined,
      lastOutcome: undefined,
    }
  }
  const { d, from, to, speaker } = last.body
  const outcome = house.find(id, `arbe:outcome:${d}`)
  const lastOutcome = outcome?.kind === 'signal.thread_director.outcome' ? outcome.body : undefined
  const isClosed = speaker === null || lastOutcome?.closes === true
  return { ...row, d, decidedOffset: isClosed ? to : from, lastDecision: last.body, lastOutcome }
}
