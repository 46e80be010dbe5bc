import { type ActorId, type Entry, NO_USAGE } from '@arbe/sdk'
import type { Capture, Lease } from '../../packages/core/thread-director/thread-director-port.ts'
import { requireThread, type SimulatedHouse } from './house.ts'
import { noReArm, noReleaseCheck, noRevCheck, wakeOutside } from './lost-wakes.ts'
import type { Mutation } from './simulate.ts'

// What keeps threads whole, taken out one at a time from outside: each has to be noticed.

/** A worker that lost its thread writes all the same. */
const noFence: Mutation = {
  store: (store, db) => ({
    ...store,
    storeDecision: (lease, ...rest) => store.storeDecision(unfenced(lease, db), ...rest),
    closeDecision: (lease, ...rest) => store.closeDecision(unfenced(lease, db), ...rest),
  }),
  turns: (turns, db) => ({
    ...turns,
    writes: (turn, onAppended) =>
      turns.writes({ ...turn, lease: unfenced(turn.lease, db) }, onAppended),
  }),
}

/** Whoever asks at whatever time is taken for the one that holds the thread then. */
function unfenced(lease: Lease, { house }: SimulatedHouse): Lease {
  return {
    ...lease,
    get fence() {
      const row = house.directors.get(lease.threadId)
      if (row === undefined) return lease.fence
      // Nor does it matter that the lease has lapsed.
      row.leaseUntil = Math.max(row.leaseUntil, house.now() + 1)
      return row.fence
    },
  }
}

/** Nor does a key keep out what is written a second time. */
const noFenceNorKey: Mutation = {
  ...noFence,
  house({ house }) {
    const append = house.append.bind(house)
    house.append = (entry) => {
      const isTaken = house.find(entry.threadId, entry.key) !== undefined
      const { length } = requireThread(house, entry.threadId).entries
      return append(isTaken ? { ...entry, key: `${entry.key}:${length}` } : entry)
    }
  },
}

/** A turn whose worker died is taken for over. */
const noRecovery: Mutation = {
  store: (store, { house }) => ({
    ...store,
    async capture(lease) {
      const capture = await store.capture(lease)
      const { lastDecision: last, lastOutcome } = capture
      const isOthers = last !== undefined && last.speaker !== null && last.fence !== lease.fence
      const row = house.directors.get(lease.threadId)
      if (!isOthers || lastOutcome !== undefined || row === undefined) return capture
      row.decidedOffset = last.to
      row.lastOutcome = {
        d: last.d,
        closes: true,
        status: 'interrupted',
        voided: [],
        rounds: 0,
        usage: NO_USAGE,
        cost: 0,
        ms: 0,
      }
      return store.capture(lease)
    },
  }),
}

/** A turn whose worker died is begun again from its first round. */
const forgetfulRecovery: Mutation = {
  store: (store) => ({ ...store, turnEntries: async () => [] }),
}

/** A request counts as served when its bot has spoken after it, whatever that turn had read. */
const servedBySpeaking: Mutation = {
  store: (store) => ({
    ...store,
    capture: async (lease) => forgetAnswered(await store.capture(lease)),
  }),
}

function forgetAnswered(capture: Capture): Capture {
  const { tail, unread, lastDecision } = capture
  const spokeAt = new Map<ActorId, number>()
  for (const { kind, authorKind, authorId, seq } of tail)
    if (kind === 'chat' && authorKind === 'bot') spokeAt.set(authorId, seq)
  const isOwed = (bot: ActorId, entry: number): boolean => (spokeAt.get(bot) ?? 0) < entry
  const owing = (entry: Entry): Entry => {
    if (entry.kind !== 'chat') return entry
    const mentions = entry.body.mentions.filter((bot) => isOwed(bot, entry.seq))
    return { ...entry, body: { ...entry.body, mentions } }
  }
  return {
    ...capture,
    tail: tail.map(owing),
    unread: unread.map(owing),
    lastDecision: lastDecision && {
      ...lastDecision,
      requests: lastDecision.requests.filter(({ bot, entry }) => isOwed(bot, entry)),
    },
  }
}

export const mutations = {
  'no fence': noFence,
  'neither fence nor unique key': noFenceNorKey,
  'no recovery': noRecovery,
  'a recovery that reads nothing': forgetfulRecovery,
  'no check at release': noReleaseCheck,
  'no rev check at release': noRevCheck,
  'no re-arm after busy': noReArm,
  'a wake outside the append': wakeOutside,
  'served since the bot has spoken': servedBySpeaking,
} as const satisfies Record<string, Mutation>
