import { readConfig } from '@arbe/backstage/config'
import { startBackstage } from '@arbe/backstage/start-backstage'
import type { PersonActor } from '@arbe/core/access/authorship'
import { createHouse } from '@arbe/core/access/houses'
import { addMember } from '@arbe/core/access/members'
import { createBot } from '@arbe/core/bots/bots'
import type { Database } from '@arbe/core/db/executor'
import type {
  AssistantBlock,
  Model,
  ModelReply,
  ModelRequest,
  Models,
} from '@arbe/core/models/model'
import { groupAppender } from '@arbe/core/streams/group-appender'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import type { DirectorStore } from '@arbe/core/thread-director/thread-director-port'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { appendMessage, type MessageDoor } from '@arbe/core/threads/append-message'
import { createThread } from '@arbe/core/threads/create-thread'
import { type ActorId, type HouseId, type ThreadId, toActorId } from '@arbe/sdk'
import { type AppendInput, BotInputSchema } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'

/** A house of two people and four bots with the real door, bus, director and dispatcher; only its model answers at once. */
export interface TalkingHouse extends AsyncDisposable {
  readonly houseId: HouseId
  /** What the director has asked its model so far. */
  readonly asked: Asked
  newThread(): Promise<ThreadId>
  /**
   * Says it through the door; resolves when the director has let go of the thread: the turn is over and nothing is left to decide.
   * The two take turns, since who goes on alone with a bot is answered by that bot without a question. The first message and all but messages are the
   * owner's.
   */
  say(threadId: ThreadId, input: AppendInput): Promise<Said>
}

export interface Asked {
  times: number
  last: ModelRequest | undefined
}

export interface Said {
  /** When the first decision was stored, by `performance.now()`. */
  readonly decidedAt: number
}

const BOTS = ['Ada', 'Bo', 'Cleo', 'Dan']

export async function openTalkingHouse(db: Database): Promise<TalkingHouse> {
  const { people, bots } = await db.transaction(async (tx) => {
    const names = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
    const { houseId, ownerId } = await createHouse(tx, names)
    const made: ActorId[] = []
    for (const name of BOTS) {
      const description = `Knows what ${name} knows.`
      made.push(await createBot(tx, houseId, BotInputSchema.parse({ name, description })))
    }
    const ben = await addMember(tx, houseId, { name: 'Ben', role: 'member' })
    return { people: [person(houseId, ownerId), person(houseId, toActorId(ben.id))], bots: made }
  })
  const [mia] = people
  if (mia === undefined) throw new Error('a house has its owner')
  const asked: Asked = { times: 0, last: undefined }
  let chats = 0
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
    models: instantModels(asked),
    runtimes: new Map(),
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
    asked,
    newThread: () =>
      db.transaction((tx) =>
        createThread(tx, mia, { title: '', people: people.map(({ id }) => id), bots }),
      ),
    async say(threadId, input) {
      const said = watch.next(threadId)
      const speaker = input.kind === 'chat' ? (people[chats++ % people.length] ?? mia) : mia
      await appendMessage(door, speaker, { threadId, clientKey: randomUUID(), input })
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
    async storeAndRelease(...call) {
      const stored = await store.storeAndRelease(...call)
      if (stored.status === 'stored' || stored.status === 'released')
        watch.decided(call[0].threadId)
      if (stored.status === 'released') watch.released(call[0].threadId)
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
function instantModels(asked: Asked): Models {
  const model: Model = {
    id: 'bench/instant',
    demo: false,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 0 },
    contextWindow: 200_000,
    async call(request, { onEvent, onText }) {
      onEvent()
      if (request.forceTool !== undefined) {
        asked.times += 1
        asked.last = request
        const { forceTool: name } = request
        const choice = { pick: BOTS[0], reason: 'It is closest to what was asked.' }
        return replies({ type: 'toolCall', id: 'call_1', name, arguments: choice })
      }
      const text = 'That is how I see it too, and the next step follows from it.'
      onText?.(text)
      return replies({ type: 'text', text })
    },
  }
  return { find: () => model, defaultName: model.id, names: [model.id] }
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
