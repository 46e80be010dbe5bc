import { free } from '../../packages/core/thread-director/thread-director-memory-rows.ts'
import type { Lease } from '../../packages/core/thread-director/thread-director-port.ts'
import { requireThread, type SimulatedHouse } from './house.ts'
import type { Mutation } from './simulate.ts'

// What keeps wakes from being lost, taken out; the sweep would find what they lost, so it is off.

/** Whatever has come meanwhile, a thread is let go as it was seen last. */
export const noReleaseCheck: Mutation = { plan: { sweep: false }, store: releasing(() => true) }

/** What has been said since is looked for, and whether the thread was woken is not. */
export const noRevCheck: Mutation = {
  // A wake without a message matters only where a bot is owed a turn that a setting holds back.
  plan: {
    sweep: false,
    fickle: true,
    bots: 3,
    threads: 3,
    deeds: 12,
    crashes: 0,
    stalls: 0,
    databaseClocks: 0,
    turnsAtOnce: 32,
    mode: 'mention',
    settings: { banter: false, limitPerBot: 1, limitPerThread: 1 },
    habits: { calls: 0.1, passes: 0, fails: 0, hangs: 0, mentions: 0.8 },
  },
  store: releasing(({ threadId }, { house }) => {
    const decided = house.directors.get(threadId)?.decidedOffset ?? 0
    return requireThread(house, threadId).wakeHead <= decided
  }),
}

function releasing(
  letsGo: (lease: Lease, db: SimulatedHouse) => boolean,
): NonNullable<Mutation['store']> {
  return (store, db) => ({
    ...store,
    async releaseIfQuiet(lease, rev) {
      const answer = await store.releaseIfQuiet(lease, rev)
      const row = db.house.directors.get(lease.threadId)
      if (answer !== 'more' || row?.fence !== lease.fence || !letsGo(lease, db)) return answer
      db.house.queue.delete(lease.threadId)
      free(row, 0)
      return 'released'
    },
  })
}

/** Who finds a thread busy is done with it. */
export const noReArm: Mutation = {
  plan: { sweep: false },
  store: (store, { house }) => ({
    ...store,
    async claim(threadId, holder) {
      const claim = await store.claim(threadId, holder)
      if (claim.status === 'busy') house.queue.delete(threadId)
      return claim
    },
  }),
}

/** Who has appended wakes the thread afterwards, unless it dies in between. */
export const wakeOutside: Mutation = {
  plan: { sweep: false },
  house({ house }, { timeline, chance }) {
    const append = house.append.bind(house)
    house.append = (entry) => {
      const before = house.queue.get(entry.threadId)
      const kept = before && { ...before }
      const seq = append(entry)
      if (kept === undefined) house.queue.delete(entry.threadId)
      else house.queue.set(entry.threadId, kept)
      const run = (): void => house.wake(entry.threadId)
      if (entry.wakes && !chance.is(0.05))
        timeline.in(chance.between(0, 5), { what: 'wake after the append', run })
      return seq
    }
  },
}
