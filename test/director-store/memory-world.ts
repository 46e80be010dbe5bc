import { toActorId, toThreadId, type ActorId, type ThreadId } from '@arbe/sdk'
import { createMemoryHouse } from '../../packages/core/thread-director/thread-director-memory-house.ts'
import type { NewEntry } from '../../packages/core/thread-director/thread-director-memory-house.ts'
import { createMemoryTurnStore } from '../../packages/core/thread-director/thread-director-memory-turn-store.ts'
import { createMemoryStore } from '../../packages/core/thread-director/thread-director-memory.ts'
import type { RosterBot } from '../../packages/core/thread-director/thread-director-port.ts'
import type { DirectorWorld } from './world.ts'

export function memoryWorld(): DirectorWorld {
  const house = createMemoryHouse(() => Date.UTC(2030, 0, 1))
  const turns = createMemoryTurnStore(house)
  let made = 0

  function append(entry: Pick<NewEntry, 'threadId'> & Partial<NewEntry>) {
    made += 1
    return house.append({
      key: `pat:test:${made}`,
      authorId: toActorId('usr_mia'),
      authorKind: 'person',
      wakes: true,
      readable: true,
      causedBy: null,
      hops: 0,
      ...entry,
    } as NewEntry)
  }

  const threadOf = (id: ThreadId) => house.threads.get(id) ?? fail(`no thread ${id}`)
  const directorOf = (id: ThreadId) => house.directors.get(id) ?? fail(`no row for ${id}`)
  const changeBot = async (id: ThreadId, bot: ActorId, change: Partial<RosterBot>) => {
    const thread = threadOf(id)
    thread.bots = thread.bots.map((one) => (one.id === bot ? { ...one, ...change } : one))
  }

  return {
    store: createMemoryStore(house),
    turns,
    turnWrites: (lease, decision) => turns.writes({ lease, decision }, () => undefined),
    async newThread() {
      made += 1
      const id = toThreadId(`thr_${made}`)
      const people = [{ id: toActorId('usr_mia'), name: 'Mia', handle: 'mia' }]
      house.addThread(id, { people, bots: ['ann', 'coder'].map(botNamed) })
      return id
    },
    say: async (
      threadId,
      { text = 'hello', key, author, wakes = true, mentions = [], replyTo } = {},
    ) =>
      append({
        threadId,
        kind: 'chat',
        wakes,
        ...(key !== undefined && { key: `pat:usr_mia:${key}` }),
        ...(author !== undefined && { authorId: author, authorKind: 'bot' }),
        body: { text, mentions: [...mentions], everyone: false, replyTo },
      }),
    change: async (threadId, { kind, ...body }) => {
      const whole =
        kind === 'chat.edit' ? { ...body, mentions: [], everyone: false, added: [] } : body
      return append({ threadId, kind, wakes: false, body: whole } as Parameters<typeof append>[0])
    },
    entries: async (id) => threadOf(id).entries,
    mute: (id, bot) => changeBot(id, bot, { muted: true }),
    muteFor: (id, bot, ms) =>
      changeBot(id, bot, { muted: true, mutedUntil: new Date(house.now() + ms).toISOString() }),
    setMode: (id, bot) => changeBot(id, bot, { mode: 'never' }),
    async setLimit(id) {
      threadOf(id).settings = { ...threadOf(id).settings, limitPerBot: 1 }
    },
    async removeBot(id, bot) {
      threadOf(id).bots = threadOf(id).bots.filter((one) => one.id !== bot)
    },
    async rename(id) {
      threadOf(id).settings = { ...threadOf(id).settings, title: 'New' }
    },
    async deleteThread(id) {
      house.threads.delete(id)
    },
    wake: async (id) => house.wake(id),
    async queueRow(id) {
      const row = house.queue.get(id)
      return row && { rev: row.rev, waitMs: row.runAt - house.now() }
    },
    async dropQueueRow(id) {
      house.queue.delete(id)
    },
    async row(id) {
      const { decidedOffset, d, attempts, leaseUntil, lastDecision } = directorOf(id)
      return { decidedOffset, d, attempts, held: leaseUntil > house.now(), lastDecision }
    },
    async dropRow(id) {
      house.directors.delete(id)
    },
    async pass(id) {
      const row = directorOf(id)
      row.leaseUntil = Math.min(row.leaseUntil, house.now() - 1)
      row.retryAt = 0
      const queued = house.queue.get(id)
      if (queued !== undefined) queued.runAt = house.now()
    },
  }
}

function botNamed(name: string): RosterBot {
  return {
    id: toActorId(`agt_${name}`),
    name,
    handle: name,
    description: '',
    mode: 'auto',
    muted: false,
    mutedUntil: null,
    mutedAt: 0,
    external: false,
    model: '',
    tools: [],
  }
}

function fail(message: string): never {
  throw new Error(message)
}
