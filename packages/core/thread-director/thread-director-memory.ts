import type { MemoryHouse } from './thread-director-memory-house.ts'
import { memoryOperations } from './thread-director-memory-operations.ts'
import type { DirectorStore } from './thread-director-port.ts'

export type StoreOperation = keyof DirectorStore

export interface MemoryStoreOptions {
  /** Awaited around each operation: where a simulation stalls, crashes, and lets others in between. */
  readonly step?: (operation: StoreOperation, when: 'before' | 'after') => Promise<void>
}

/** The director's store without a database: what the functions of `0003-director.sql` do, each in one synchronous piece. */
export function createMemoryStore(
  house: MemoryHouse,
  { step = async () => undefined }: MemoryStoreOptions = {},
): DirectorStore {
  const operations = memoryOperations(house)

  async function run<Answer>(name: StoreOperation, operation: () => Answer): Promise<Answer> {
    await step(name, 'before')
    const answer = operation()
    await step(name, 'after')
    return answer
  }

  return {
    dueThreads: (...args) => run('dueThreads', () => operations.dueThreads(...args)),
    claim: (...args) => run('claim', () => operations.claim(...args)),
    renew: (...args) => run('renew', () => operations.renew(...args)),
    capture: (...args) => run('capture', () => operations.capture(...args)),
    storeDecision: (...args) => run('storeDecision', () => operations.storeDecision(...args)),
    storeAndRelease: (...args) => run('storeAndRelease', () => operations.storeAndRelease(...args)),
    closeDecision: (...args) => run('closeDecision', () => operations.closeDecision(...args)),
    turnEntries: (...args) => run('turnEntries', () => operations.turnEntries(...args)),
    releaseIfQuiet: (...args) => run('releaseIfQuiet', () => operations.releaseIfQuiet(...args)),
    handBack: (...args) => run('handBack', () => operations.handBack(...args)),
    backOff: (...args) => run('backOff', () => operations.backOff(...args)),
    stop: (...args) => run('stop', () => operations.stop(...args)),
    sweep: () => run('sweep', () => operations.sweep()),
  }
}
