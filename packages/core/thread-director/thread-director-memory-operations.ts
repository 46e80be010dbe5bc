import type { ThreadId } from '@arbe/sdk'
import { LeaseLost } from '../threads/turn.ts'
import { captureInMemory } from './thread-director-memory-capture.ts'
import { closeInMemory, stopInMemory, storeInMemory } from './thread-director-memory-decisions.ts'
import type { MemoryDirector, MemoryHouse } from './thread-director-memory-house.ts'
import { directorOf, free, heldBy, isRunning } from './thread-director-memory-rows.ts'
import type { Capture, Claim, DirectorStore, Lease } from './thread-director-port.ts'

type Operations = {
  [Name in keyof DirectorStore]: (
    ...args: Parameters<DirectorStore[Name]>
  ) => Awaited<ReturnType<DirectorStore[Name]>>
}

/** Each answers in one piece, as a transaction does. */
export function memoryOperations(house: MemoryHouse): Operations {
  return {
    dueThreads: (limit) => dueThreads(house).slice(0, limit),
    claim: (id, { leaseMs }) => claim(house, id, leaseMs),
    renew: (lease, leaseMs) => renew(house, lease, leaseMs),
    capture: (lease) => capture(house, lease),
    storeDecision(lease, rosterVersion, draft) {
      const row = heldBy(house, lease)
      if (row === undefined) return { status: 'lease_lost' }
      return storeInMemory(house, row, { lease, rosterVersion, draft })
    },
    closeDecision(lease, decision, parts) {
      const row = heldBy(house, lease)
      if (row === undefined) return { status: 'lease_lost' }
      return closeInMemory(house, row, { lease, decision, parts })
    },
    turnEntries: ({ threadId }, d) =>
      (house.threads.get(threadId)?.entries ?? []).filter(
        ({ causedBy, kind }) =>
          causedBy === d && (kind === 'pi.assistant' || kind === 'pi.tool_result'),
      ),
    storeAndRelease(lease, { rosterVersion, rev }, draft) {
      const row = heldBy(house, lease)
      if (row === undefined) return { status: 'lease_lost' }
      const stored = storeInMemory(house, row, { lease, rosterVersion, draft })
      if (stored.status !== 'stored' || isRunning(row)) return stored
      if (release(house, lease.threadId, { row, rev }) === 'more') return stored
      return { ...stored, status: 'released' }
    },
    releaseIfQuiet(lease, rev) {
      const row = heldBy(house, lease)
      return row === undefined ? 'lease_lost' : release(house, lease.threadId, { row, rev })
    },
    handBack: (lease) => handBack(house, lease),
    backOff: (lease) => backOff(house, lease),
    stop: (order) => stopInMemory(house, order),
    sweep: () => sweep(house),
  }
}

function dueThreads(house: MemoryHouse): readonly ThreadId[] {
  return [...house.queue]
    .filter(([, { runAt }]) => runAt <= house.now())
    .toSorted(([, a], [, b]) => a.runAt - b.runAt)
    .map(([id]) => id)
}

function claim(house: MemoryHouse, id: ThreadId, leaseMs: number): Claim {
  const row = directorOf(house, id)
  const thread = house.threads.get(id)
  if (row === undefined || thread === undefined) {
    house.directors.delete(id)
    house.queue.delete(id)
    return { status: 'gone' }
  }
  const blockedUntil = Math.max(row.leaseUntil, row.retryAt)
  if (blockedUntil > house.now()) {
    const queued = house.queue.get(id)
    if (queued !== undefined) queued.runAt = blockedUntil
    return { status: 'busy' }
  }
  row.fence = house.nextFence()
  row.leaseUntil = house.now() + leaseMs
  row.retryAt = 0
  row.attempts += 1
  house.due(id, row.leaseUntil)
  const { fence, attempts } = row
  return { status: 'claimed', lease: { threadId: id, houseId: thread.houseId, fence, attempts } }
}

function capture(house: MemoryHouse, { threadId }: Lease): Capture {
  const thread = house.threads.get(threadId)
  const row = house.directors.get(threadId)
  if (thread === undefined || row === undefined) throw new LeaseLost(`thread ${threadId} is gone`)
  return captureInMemory(house, thread, row)
}

function renew(house: MemoryHouse, lease: Lease, leaseMs: number): boolean {
  const row = heldBy(house, lease)
  if (row !== undefined) row.leaseUntil = house.now() + leaseMs
  return row !== undefined
}

interface Release {
  readonly row: MemoryDirector
  readonly rev: number | undefined
}

function release(house: MemoryHouse, id: ThreadId, { row, rev }: Release): 'released' | 'more' {
  if (hasMore(house, id, { row, rev })) return 'more'
  house.queue.delete(id)
  free(row, 0)
  return 'released'
}

function hasMore(house: MemoryHouse, id: ThreadId, { row, rev }: Release): boolean {
  const queued = house.queue.get(id)
  return (queued !== undefined && queued.rev !== rev) || isUndecided(house, id, row)
}

function handBack(house: MemoryHouse, { threadId, fence }: Lease): void {
  const row = house.directors.get(threadId)
  if (row?.fence !== fence) return
  free(row, Math.max(row.attempts - 1, 0))
  house.due(threadId, house.now())
}

function backOff(house: MemoryHouse, { threadId, fence }: Lease): void {
  const row = house.directors.get(threadId)
  if (row?.fence !== fence) return
  free(row, row.attempts)
  row.retryAt = house.now() + Math.min(300, 2 ** (Math.max(row.attempts, 1) - 1)) * 1_000
  house.due(threadId, row.retryAt, Math.max(row.attempts, 1))
}

function sweep(house: MemoryHouse): number {
  const lost = [...house.threads.keys()].filter((id) => {
    const row = directorOf(house, id)
    if (row === undefined || house.queue.has(id)) return false
    return isRunning(row) || isUndecided(house, id, row)
  })
  for (const id of lost) house.wake(id)
  return lost.length
}

function isUndecided(house: MemoryHouse, id: ThreadId, row: MemoryDirector): boolean {
  return (house.threads.get(id)?.wakeHead ?? 0) > row.decidedOffset
}
