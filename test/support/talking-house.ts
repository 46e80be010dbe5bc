import { readConfig } from '@arbe/backstage/config'
import { startBackstage } from '@arbe/backstage/start-backstage'
import type { PersonActor } from '@arbe/core/access/authorship'
import { createHouse } from '@arbe/core/access/houses'
import { createBot } from '@arbe/core/bots/bots'
import type { Database } from '@arbe/core/db/executor'
import type { AssistantBlock, Model, ModelReply, Models } from '@arbe/core/models/model'
import { groupAppender } from '@arbe/core/streams/group-appender'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import type { DirectorStore } from '@arbe/core/thread-director/thread-director-port'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { appendMessage, type MessageDoor } from '@arbe/core/threads/append-message'
import { createThread } from '@arbe/core/threads/create-thread'
import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import { type AppendInput, BotInputSchema } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'

/** A house of one person and four bots with the real door, bus, director and dispatcher; only its model answers at once. */
export interface TalkingHouse extends AsyncDisposable {
  readonly houseId: HouseId
  newThread(): Promise<ThreadId>
  /** Says it through the door; resolves when the director has let go of the thread: the turn is over and nothing is left to decide. */
  say(threadId: ThreadId, input: AppendInput): Promise<Said>
}

export interface Said {
  /** When the first decision was stored, by `performance.now()`. */
  readonly decidedAt: number
}

const BOTS = ['Ada', 'Bo', 'Cleo', 'Dan']

export async function openTalkingHouse(db: Database): Promise<TalkingHouse> {
  const { mia, bots } = await db.transaction(async (tx) => {
    const names = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
    const { houseId, ownerId } = await createHouse(tx, names)
    const made: ActorId[] = []
    for (const name of BOTS) {
      const description = `Knows what ${name} knows.`
      made.push(await createBot(tx, houseId, BotInputSchema.parse({ name, description })))
    }
    return { mia: person(houseId, ownerId), bots: made }
  })
  const bus = await openLiveBus(db)
  const watch = createWatch()
  const store = watched(
    createThreadDirectorStore(db, (hint) => bus.appended(hint)),
    watch,
  )
  const backstage = startBackstage({
    db,
    bus,
    store,
    models: instantModels,
    config: readConfig({ ARBE_QUIET_MS: '0' }),
    onError: (error) => watch.fail(error),
  })
  const door: MessageDoor = {
    db,
    append: groupAppender(db, (hint) => bus.appended(hint)),
    stop: (order) => store.stop(order),
  }
  return {
    houseId: mia.houseId,
    newThread: () => db.transaction((tx) => createThread(tx, mia, { title: '', people: [], bots })),
    async say(threadId, input) {
      const said = watch.next(threadId)
      await appendMessage(door, mia, { threadId, clientKey: randomUUID(), input })
      return await said
    },
    async [Symbol.asyncDispose]() {
      await backstage.close()
      await bus.close()
    },
  }
}

const person = (houseId: HouseId, id: ActorId): PersonActor => ({
  kind: 'person',
  tokenKind: 'ses',
  tokenHash: '',
  role: 'owner',
  houseId,
  id,
})

function createWatch() {
  const waiting = new Map<ThreadId, PromiseWithResolvers<Said>>()
  const decisions = new Map<ThreadId, number>()
  return {
    next(threadId: ThreadId): Promise<Said> {
      const waiter = Promise.withResolvers<Said>()
      waiting.set(threadId, waiter)
      decisions.delete(threadId)
      return waiter.promise
    },
    decided(threadId: ThreadId): void {
      if (!decisions.has(threadId)) decisions.set(threadId, performance.now())
    },
    released(threadId: ThreadId): void {
      const decidedAt = decisions.get(threadId)
      if (decidedAt !== undefined) waiting.get(threadId)?.resolve({ decidedAt })
    },
    fail(error: unknown): void {
      for (const { reject } of waiting.values()) reject(error)
    },
  }
}

function watched(store: DirectorStore, watch: ReturnType<typeof createWatch>): DirectorStore {
  return {
    ...store,
    async storeDecision(...call) {
      const stored = await store.storeDecision(...call)
      if (stored.status === 'stored') watch.decided(call[0].threadId)
      return stored
    },
    async releaseIfQuiet(...call) {
      const answer = await store.releaseIfQuiet(...call)
      if (answer === 'released') watch.released(call[0].threadId)
      return answer
    },
  }
}

const USAGE = { input: 1_200, output: 20, cacheRead: 0, cacheWrite: 0 }

/** Always chooses the same bot, so that turns are alike, and says a sentence. Priced, so that every call goes through the books. */
const instantModel: Model = {
  id: 'bench/instant',
  demo: false,
  price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 0 },
  contextWindow: 200_000,
  async call({ forceTool }, { onEvent, onText }) {
    onEvent()
    if (forceTool !== undefined) {
      const decision = { pick: BOTS[0], reason: 'It is closest to what was asked.' }
      return replies({ type: 'toolCall', id: 'call_1', name: forceTool, arguments: decision })
    }
    const text = 'That is how I see it too, and the next step follows from it.'
    onText?.(text)
    return replies({ type: 'text', text })
  },
}

function replies(block: AssistantBlock): ModelReply {
  const message = {
    role: 'assistant',
    content: [block],
    stopReason: block.type === 'toolCall' ? 'toolUse' : 'stop',
    timestamp: Date.now(),
  } as const
  return { status: 'ok', message, usage: USAGE, cost: 0.0013 }
}

const instantModels: Models = {
  find: () => instantModel,
  defaultName: instantModel.id,
  names: [instantModel.id],
}
