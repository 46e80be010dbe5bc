import type { Executor } from '@arbe/core/db/executor'
import type { Entry, HouseId, ThreadId } from '@arbe/sdk'

interface Thread {
  readonly houseId: HouseId
  readonly threadId: ThreadId
}

/** What a thread holds behind its making: a talk that really took place. */
export async function readTalk(db: Executor, { houseId, threadId }: Thread): Promise<Talk> {
  const entries = await db.query<Entry>(
    `select seq, key, kind, author_id as "authorId", author_kind as "authorKind", wakes, readable,
        caused_by as "causedBy", hops, body
      from entries where house_id = $1 and thread_id = $2 and seq > ${MADE} order by seq`,
    [houseId, threadId],
  )
  const decisions = entries.filter(({ kind }) => kind === 'signal.thread_director.decision').length
  return { entries, decisions }
}

export interface Talk {
  readonly entries: readonly Entry[]
  readonly decisions: number
}

/** Who is in a thread: its first two entries. */
const MADE = 2
const BATCH = 2_000

/** Lets a fresh thread hold the talk over and over, with offsets and ordinals that go on, everything decided, until it is long enough. */
export async function lengthenThread(
  db: Executor,
  thread: Thread,
  { talk, length }: { readonly talk: Talk; readonly length: number },
): Promise<void> {
  const times = Math.ceil((length - MADE) / talk.entries.length)
  let batch: Entry[] = []
  for (let time = 0; time < times; time += 1) {
    batch.push(...talk.entries.map((entry) => later(entry, talk, time)))
    if (batch.length < BATCH && time < times - 1) continue
    await db.query(INSERT, [thread.houseId, thread.threadId, JSON.stringify(batch)])
    batch = []
  }
  await db.query(SET_HEAD, [thread.houseId, thread.threadId])
  await db.query(SET_DIRECTOR, [thread.houseId, thread.threadId])
}

/** The entry as it stands in the talk's nth repetition. */
function later(entry: Entry, { entries, decisions }: Talk, time: number): Entry {
  const places = entries.length * time
  const ordinals = decisions * time
  return {
    ...entry,
    seq: entry.seq + places,
    // Apart from any key that the thread's own turns will use.
    key: `${entry.key}:told ${time}`,
    causedBy: entry.causedBy === null ? null : entry.causedBy + ordinals,
    body: shifted(entry.body, (name, value) => {
      if (PLACES.has(name)) return value + places
      return ORDINALS.has(name) ? value + ordinals : value
    }),
  } as Entry
}

const PLACES = new Set(['from', 'to', 'seen', 'reply', 'assistant', 'entry', 'target', 'replyTo'])
const ORDINALS = new Set(['d', 'decision'])

function shifted(value: unknown, shift: (name: string, value: number) => number): unknown {
  return JSON.parse(JSON.stringify(value), (name, part: unknown) =>
    typeof part === 'number' ? shift(name, part) : part,
  )
}

const INSERT = `
  insert into entries (house_id, thread_id, seq, key, kind, author_id, author_kind, wakes, readable, caused_by, hops, body)
  select $1, $2, seq, key, kind, "authorId", "authorKind", wakes, readable, "causedBy", hops, body
    from jsonb_to_recordset($3::jsonb) as (seq bigint, key text, kind text, "authorId" text, "authorKind" text,
      wakes boolean, readable boolean, "causedBy" bigint, hops int, body jsonb)`

const SET_HEAD = `
  update threads t set head = e.head, wake_head = e.wake_head
    from (select max(seq) as head, max(seq) filter (where wakes) as wake_head from entries where thread_id = $2) e
    where t.house_id = $1 and t.id = $2`

const SET_DIRECTOR = `
  insert into thread_directors (thread_id, house_id, d, decided_offset, last_decision)
  select $2, $1, (body ->> 'd')::bigint, (body ->> 'to')::bigint, body
    from entries where thread_id = $2 and kind = 'signal.thread_director.decision' order by seq desc limit 1
  on conflict (thread_id) do update
    set d = excluded.d, decided_offset = excluded.decided_offset, last_decision = excluded.last_decision`
