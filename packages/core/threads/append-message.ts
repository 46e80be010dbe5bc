import type { ActorId, HouseId, Offset, ThreadId } from '@arbe/sdk'
import type { AppendInput } from '@arbe/sdk/api'
import { type Actor, bridgedKey, namespacedKey } from '../access/authorship.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import type { EntryDraft } from '../streams/entry-draft.ts'
import { appendEntry, type Appended } from '../streams/thread-stream.ts'
import { sameAgain } from './message-again.ts'
import { toMessageDraft } from './message-draft.ts'
import { noSuchThread, type OpenThread, openThread } from './open-thread.ts'

export interface MessageDoor {
  readonly db: Executor
  /** One commit for all that waits in this process. */
  readonly append: (draft: EntryDraft) => Promise<Appended>
  /** Ends whatever the thread does; writes the `thread.stop` entry when there was something to end. */
  readonly stop: (order: {
    readonly threadId: ThreadId
    readonly authorId: ActorId
    readonly key: string
  }) => Promise<unknown>
}

export interface Message {
  readonly threadId: ThreadId
  /** The caller's own; nobody else's key can be met with it. */
  readonly clientKey: string
  readonly input: AppendInput
}

export interface Posted {
  readonly seq: Offset
  readonly duplicate: boolean
}

/** The one door by which people, and bots driven from outside, get into a thread's stream. The author is the token's, whatever is sent. */
export async function appendMessage(
  door: MessageDoor,
  author: Actor,
  message: Message,
): Promise<Posted> {
  const key = keyOf(author, message)
  const asked = { threadId: message.threadId, key }
  const thread = await openThread(door.db, author, asked)
  if (thread.keyed !== null) return sameAgain(thread.keyed, message.input)
  try {
    return await writeMessage(door, author, { ...message, thread, key })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // The same request may be under way at another server: what that one has written meanwhile makes this one look wrong.
    const { keyed } = await openThread(door.db, author, asked)
    if (keyed === null) throw error
    return sameAgain(keyed, message.input)
  }
}

async function writeMessage(
  door: MessageDoor,
  author: Actor,
  message: Message & { readonly thread: OpenThread; readonly key: string },
): Promise<Posted> {
  const { thread, key } = message
  const draft = await toMessageDraft({ db: door.db, author, thread, key }, message.input)
  if (message.input.kind !== 'thread.stop')
    return toPosted(await door.append(draft), message.threadId)
  // Stopping writes the entry in the transaction that ends the turn; where nothing ran it is written here, and only says so.
  await door.stop({ threadId: message.threadId, authorId: author.id, key })
  const { keyed } = await openThread(door.db, author, { threadId: message.threadId, key })
  if (keyed !== null) return { seq: keyed.seq, duplicate: false }
  const { seq } = toPosted(await door.append(draft), message.threadId)
  return { seq, duplicate: false }
}

function keyOf(author: Actor, { clientKey, input }: Message): string {
  const via = input.kind === 'chat' ? input.via : undefined
  return via === undefined ? namespacedKey(author, clientKey) : bridgedKey(author, via)
}

function toPosted(appended: Appended, threadId: ThreadId): Posted {
  switch (appended.status) {
    case 'ok':
      return { seq: appended.seq, duplicate: false }
    case 'duplicate':
      return { seq: appended.seq, duplicate: true }
    case 'conflict':
      throw new Refused('key_conflict', 'This key belongs to another message.')
    case 'gone':
      throw noSuchThread(threadId)
  }
}

/** What the house itself says: text that asks nobody. The key makes it said once. */
export async function appendSystemMessage(
  executor: Executor,
  message: {
    readonly houseId: HouseId
    readonly threadId: ThreadId
    readonly systemAgentId: ActorId
    readonly key: string
    readonly text: string
  },
): Promise<Posted> {
  const { houseId, threadId, systemAgentId, key, text } = message
  const appended = await appendEntry(executor, {
    houseId,
    threadId,
    key: `system:${systemAgentId}:${key}`,
    authorId: systemAgentId,
    authorKind: 'system',
    kind: 'chat',
    body: { text },
    wakes: false,
    readable: true,
  })
  return toPosted(appended, threadId)
}
