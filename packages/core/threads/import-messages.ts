import { type HouseId, type Offset, type ThreadId, toOffset, type Via } from '@arbe/sdk'
import type { Imported, ImportMessage } from '@arbe/sdk/api'
import { bridgedKey, type PersonActor } from '../access/authorship.ts'
import type { Database, Executor } from '../db/executor.ts'
import { toEntryJson } from '../streams/entry-draft.ts'
import { appendEntries } from '../streams/thread-stream.ts'
import { requireText } from './message-text.ts'
import { noSuchThread, openThread } from './open-thread.ts'

export interface Import {
  readonly threadId: ThreadId
  readonly messages: readonly ImportMessage[]
}

/**
 * What was said elsewhere, all of it or nothing, in the order given; what stands there already is left as it is. The author is whoever
 * imports it, whoever wrote it: nobody can be made to have said something.
 */
export async function importMessages(
  db: Database,
  author: PersonActor,
  { threadId, messages }: Import,
): Promise<Imported> {
  for (const { text, via } of messages) requireText(text, `The message ${via.id} of ${via.bridge}`)
  await openThread(db, author, { threadId })
  return await db.transaction(async (tx) => {
    const place = { houseId: author.houseId, threadId }
    const head = await lockThread(tx, place)
    const before = await readStored(tx, threadId, keysOf(author, messages))
    const { results, fresh } = plan(messages, { author, head, before })
    await append(tx, { ...place, author, head }, fresh)
    return { results }
  })
}

interface Place {
  readonly houseId: HouseId
  readonly threadId: ThreadId
}

/** Nobody else writes to the thread from here to the commit, so the offsets of what follows are known. */
async function lockThread(tx: Executor, { houseId, threadId }: Place): Promise<number> {
  const [row] = await tx.query<{ head: number }>(
    'select head from threads where house_id = $1 and id = $2 for no key update',
    [houseId, threadId],
  )
  if (row === undefined) throw noSuchThread(threadId)
  return row.head
}

function keysOf(author: PersonActor, messages: readonly ImportMessage[]): readonly string[] {
  return messages.flatMap(({ via, replyTo }) =>
    [via, ...(replyTo === undefined ? [] : [replyTo])].map((one) => bridgedKey(author, one)),
  )
}

interface Stored {
  readonly seq: number
  readonly text: string
}

async function readStored(
  tx: Executor,
  threadId: ThreadId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Stored>> {
  const rows = await tx.query<Stored & { readonly key: string }>(
    `select key, seq, body ->> 'text' as text from entries
      where thread_id = $1 and key = any($2::text[])`,
    [threadId, keys],
  )
  return new Map(rows.map(({ key, ...stored }) => [key, stored]))
}

interface Fresh {
  readonly key: string
  readonly message: ImportMessage
  readonly replyTo: Offset | undefined
}

interface Standing {
  readonly author: PersonActor
  readonly head: number
  readonly before: ReadonlyMap<string, Stored>
}

function plan(
  messages: readonly ImportMessage[],
  { author, head, before }: Standing,
): Imported & { readonly fresh: readonly Fresh[] } {
  const known = new Map(before)
  const fresh: Fresh[] = []
  const seqOf = (via: Via): Offset | undefined => {
    const seq = known.get(bridgedKey(author, via))?.seq
    return seq === undefined ? undefined : toOffset(seq)
  }
  const results = messages.map((message): Imported['results'][number] => {
    const { via, text, replyTo } = message
    const key = bridgedKey(author, via)
    const stored = known.get(key)
    if (stored !== undefined)
      return { seq: stored.seq, status: stored.text === text ? 'duplicate' : 'differs' }
    fresh.push({ key, message, replyTo: replyTo && seqOf(replyTo) })
    const seq = head + fresh.length
    known.set(key, { seq, text })
    return { seq, status: 'new' }
  })
  return { results, fresh }
}

async function append(
  tx: Executor,
  place: Place & { readonly author: PersonActor; readonly head: number },
  fresh: readonly Fresh[],
): Promise<void> {
  if (fresh.length === 0) return
  const { houseId, threadId, author, head } = place
  const entries = fresh.map(({ key, message: { text, via, saidAt }, replyTo }) =>
    toEntryJson({
      houseId,
      threadId,
      key,
      authorId: author.id,
      authorKind: 'person',
      kind: 'chat',
      wakes: false,
      readable: true,
      // Nobody is called by it, so nobody is named in it.
      body: {
        text,
        mentions: [],
        everyone: false,
        via,
        saidAt: new Date(saidAt).toISOString(),
        ...(replyTo === undefined ? {} : { replyTo }),
      },
    }),
  )
  await appendEntries(tx, entries)
  await tx.query(NO_NEWS, [houseId, threadId, head, head + fresh.length])
}

const NO_NEWS = `
  update threads set imported_to = $4, imported_after = case when imported_to = $3 then imported_after else $3 end
  where house_id = $1 and id = $2`
