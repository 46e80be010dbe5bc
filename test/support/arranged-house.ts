import type { ActorId, ThreadId } from '@arbe/sdk'
import { BotInputSchema } from '@arbe/sdk/api'
import { EnvironmentInputSchema } from '@arbe/sdk/environments'
import type { PersonActor } from '../../packages/core/access/authorship.ts'
import { createHouse } from '../../packages/core/access/houses.ts'
import { createBot } from '../../packages/core/bots/bots.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import type { EntryDraft } from '../../packages/core/streams/entry-draft.ts'
import { appendEntry } from '../../packages/core/streams/thread-stream.ts'
import { appendMessage } from '../../packages/core/threads/append-message.ts'
import { createEnvironment } from '../../packages/core/environments/environments.ts'
import { keepBox } from '../../packages/core/environments/sandboxes.ts'
import { changeThread } from '../../packages/core/threads/change-thread.ts'
import { createThread } from '../../packages/core/threads/create-thread.ts'
import { isVolumePath } from '../../packages/core/volumes/volume-path.ts'
import { writeFile } from '../../packages/core/volumes/volumes.ts'
import { LOG_BEFORE, LOG_FILE } from './two-round-models.ts'

export interface ArrangedHouse {
  readonly owner: PersonActor
  readonly threadId: ThreadId
}

/** A house with a log file, two bots and one thread, in which its owner has just said something. */
export async function arrangeHouse(db: Database, text: string): Promise<ArrangedHouse> {
  const { owner, threadId } = await db.transaction(async (tx) => {
    const { houseId, ownerId } = await createHouse(tx, {
      name: 'House',
      ownerName: 'Mia',
      ownerHandle: 'mia',
    })
    const owner: PersonActor = {
      kind: 'person',
      tokenKind: 'ses',
      tokenHash: '',
      role: 'owner',
      houseId,
      id: ownerId,
    }
    const bots = [await addBot('Ada'), await addBot('Bo')]
    if (!isVolumePath(LOG_FILE)) throw new Error(`${LOG_FILE} is no path`)
    const file = { houseId, path: LOG_FILE, authorId: ownerId, effectKey: 'arranged' }
    await writeFile(tx, { ...file, content: LOG_BEFORE })
    const threadId = await createThread(tx, owner, { title: '', people: [], bots })
    return { owner, threadId }

    function addBot(name: string): Promise<ActorId> {
      return createBot(tx, houseId, BotInputSchema.parse({ name, handle: name.toLowerCase() }))
    }
  })
  const house = { owner, threadId }
  await sayAgain(db, house, text)
  // Long enough ago that nobody waits for a burst to end.
  await db.query(`update entries set created_at = created_at - interval '1 minute'`)
  return house
}

/** Binds the thread to an environment that has been started. */
export async function giveBox(db: Database, { owner, threadId }: ArrangedHouse): Promise<void> {
  const { houseId } = owner
  await db.transaction(async (tx) => {
    const input = EnvironmentInputSchema.parse({ name: 'workshop' })
    const environment = await createEnvironment(tx, houseId, input)
    const box = { provider: 'local', ref: 'a-box' }
    await keepBox(tx, houseId, { environmentId: environment, box })
    await changeThread(tx, owner, { threadId, patch: { environment } })
  })
}

export async function sayAgain(db: Database, house: ArrangedHouse, text: string): Promise<void> {
  const door = {
    db,
    append: (draft: EntryDraft) => appendEntry(db, draft),
    stop: () => Promise.reject(new Error('this only says something')),
  }
  const { owner, threadId } = house
  await appendMessage(door, owner, { threadId, clientKey: text, input: { kind: 'chat', text } })
}
