import type { ThreadId } from '@arbe/sdk'
import { contextInMemory, lostCauseInMemory } from './thread-director-memory-context.ts'
import type { MemoryHouse, MemoryThread } from './thread-director-memory-house.ts'
import { createMemoryTurnWrites, type MemoryTurnOptions } from './thread-director-memory-turn.ts'
import type { TurnStore } from './turn-store.ts'

export interface MemoryTurnStoreOptions extends Pick<MemoryTurnOptions, 'commit'> {
  /** Awaited around each operation. */
  readonly step?: (operation: string, when: 'before' | 'after') => Promise<void>
}

/** What turns read and write, without a database. */
export function createMemoryTurnStore(
  house: MemoryHouse,
  options: MemoryTurnStoreOptions = {},
): TurnStore {
  const { step = async () => undefined } = options

  async function run<Answer>(name: string, operation: () => Answer): Promise<Answer> {
    await step(name, 'before')
    const answer = operation()
    await step(name, 'after')
    return answer
  }

  function threadOf(id: ThreadId): MemoryThread {
    const thread = house.threads.get(id)
    if (thread === undefined) throw new Error(`thread ${id} is gone`)
    return thread
  }

  return {
    speaker: (houseId, id) =>
      run('speaker', () => {
        const bot = house.agents.get(id)
        if (bot === undefined) throw new Error(`speaker ${id} is no agent of house ${houseId}`)
        return bot
      }),
    context: (range) => run('context', () => contextInMemory(threadOf(range.threadId), range)),
    lostCause: (ground) =>
      run('lostCause', () => lostCauseInMemory(threadOf(ground.threadId), ground)),
    // Nobody follows a thread in memory.
    writes: (turn) => createMemoryTurnWrites(house, turn, options),
  }
}
