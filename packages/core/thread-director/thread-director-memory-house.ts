import {
  type ActorId,
  type DecisionBody,
  type Entry,
  type HouseId,
  type Offset,
  type OutcomeBody,
  type ThreadId,
  toHouseId,
  toOffset,
} from '@arbe/sdk'
import type { Bot } from '@arbe/sdk/api'
import type { RosterBot, RosterPerson, ThreadSettings } from './thread-director-port.ts'

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** An entry before it has its place. */
export type NewEntry = Without<Entry, 'seq' | 'createdAt'>

export interface MemoryThread {
  readonly id: ThreadId
  readonly houseId: HouseId
  readonly entries: Entry[]
  wakeHead: Offset
  settings: ThreadSettings
  people: readonly RosterPerson[]
  bots: readonly RosterBot[]
}

export interface MemoryDirector {
  decidedOffset: Offset
  d: number
  fence: number
  leaseUntil: number
  attempts: number
  retryAt: number
  lastDecision: DecisionBody | undefined
  lastOutcome: OutcomeBody | undefined
}

export interface QueueRow {
  rev: number
  runAt: number
  attempts: number
}

/**
 * Threads, directors' rows and the queue as plain maps, with the rules of the database's functions: dense offsets, one entry a key,
 * the wake inside the append. Whoever holds one may change what is in it.
 */
export interface MemoryHouse {
  readonly threads: Map<ThreadId, MemoryThread>
  /** Every bot that was ever given to a thread. */
  readonly agents: Map<ActorId, Bot>
  readonly directors: Map<ThreadId, MemoryDirector>
  readonly queue: Map<ThreadId, QueueRow>
  /** Milliseconds since the epoch. */
  now(): number
  nextFence(): number
  addThread(id: ThreadId, parts?: Partial<Pick<MemoryThread, 'settings' | 'people' | 'bots'>>): void
  /** The entry's offset, or that of the one its key already has. */
  append(entry: NewEntry): Offset
  wake(id: ThreadId): void
  /** Sets when the thread is looked at again; rev stays. */
  due(id: ThreadId, at: number, attempts?: number): void
  find(id: ThreadId, key: string): Entry | undefined
}

export function createMemoryHouse(now: () => number): MemoryHouse {
  const threads = new Map<ThreadId, MemoryThread>()
  const queue = new Map<ThreadId, QueueRow>()
  const agents = new Map<ActorId, Bot>()
  let lastRev = 0
  let lastFence = 0

  function wake(id: ThreadId): void {
    const row = queue.get(id)
    lastRev += 1
    if (row === undefined) queue.set(id, { rev: lastRev, runAt: now(), attempts: 0 })
    else
      queue.set(id, {
        ...row,
        rev: lastRev,
        runAt: row.attempts > 0 ? row.runAt : Math.min(row.runAt, now()),
      })
  }

  function find(id: ThreadId, key: string): Entry | undefined {
    return threads.get(id)?.entries.find((entry) => entry.key === key)
  }

  return {
    threads,
    queue,
    agents,
    directors: new Map(),
    now,
    nextFence: () => (lastFence += 1),
    wake,
    find,
    due(id, at, attempts = 0) {
      const rev = queue.get(id)?.rev ?? (lastRev += 1)
      queue.set(id, { rev, runAt: at, attempts })
    },
    addThread(id, parts = {}) {
      threads.set(id, { ...emptyThread(id), ...parts })
      for (const bot of parts.bots ?? []) agents.set(bot.id, agentOf(bot))
    },
    append(entry) {
      const there = find(entry.threadId, entry.key)
      if (there !== undefined) return there.seq
      const thread = threads.get(entry.threadId)
      if (thread === undefined) throw new Error(`thread ${entry.threadId} is gone`)
      const seq = toOffset(thread.entries.length + 1)
      thread.entries.push({ ...entry, seq, createdAt: new Date(now()).toISOString() })
      if (entry.wakes) {
        thread.wakeHead = seq
        wake(entry.threadId)
      }
      return seq
    },
  }
}

function agentOf({ id, name, handle, description, model }: RosterBot): Bot {
  return {
    id,
    name,
    handle,
    description,
    model,
    prompt: '',
    voice: '',
    triggerMode: null,
    arbeContext: false,
    toolsAllow: null,
    toolsDeny: [],
  }
}

function emptyThread(id: ThreadId): MemoryThread {
  return {
    id,
    houseId: toHouseId('hse_memory'),
    entries: [],
    wakeHead: toOffset(0),
    settings: {
      title: '',
      banter: false,
      limitPerBot: 3,
      limitPerThread: 8,
      hops: 0,
      directorModel: null,
    },
    people: [],
    bots: [],
  }
}
