import { type ThreadId, toActorId, toOffset } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'
import type { PersonActor } from '@arbe/core/access/authorship'
import type { Database } from '@arbe/core/db/executor'
import { createThread } from '@arbe/core/threads/create-thread'
import { leaveThreads } from '@arbe/core/threads/leave-threads'
import { listDecisions } from '@arbe/core/threads/thread-decisions'
import { readThreadState } from '@arbe/core/threads/thread-state'
import { addMember } from '../../../../packages/core/access/members.ts'
import { eachEngine } from '../../../../test/support/each-engine.ts'
import { createDemoHouse } from './demo-house.ts'
import { FeedCursor, WINDOW_MS } from './feed-cursor.ts'
import { readFeedStart } from './feed-start.ts'
import { readJoins } from './read-joins.ts'

eachEngine((open) => {
  let db: Database
  let mia: PersonActor
  const threads: ThreadId[] = []

  beforeAll(async () => {
    db = await open()
    await db.transaction(async (tx) => {
      const { houseId, ownerId } = await createDemoHouse(tx)
      mia = { kind: 'person', tokenKind: 'ses', tokenHash: '', role: 'owner', houseId, id: ownerId }
      for (const title of ['one', 'two'])
        threads.push(await createThread(tx, mia, { title, people: [], bots: [] }))
    })
  })

  async function now(): Promise<number> {
    const [row] = await db.query<{ now: number }>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    )
    return row?.now ?? 0
  }
  const starts = async (cursor: FeedCursor | undefined) => {
    const start = await readFeedStart(db, mia, cursor)
    return threads.map((id) => start.threads.find(({ threadId }) => threadId === id)?.after)
  }

  test('without a cursor a feed begins behind what is there, and its cursor says where', async () => {
    expect(await starts(undefined)).toEqual([2, 2])
    const { cursor } = await readFeedStart(db, mia, undefined)
    expect(threads.map((id) => cursor.seqs()[id])).toEqual([2, 2])
  })

  test('with one it goes on at its places, and elsewhere after what is older than the window', async () => {
    const [one = threads[0]] = threads
    if (one === undefined) throw new Error('no thread')
    const withPlace = new FeedCursor(await now(), [[one, { seq: toOffset(1), at: 0 }]])
    expect(await starts(withPlace)).toEqual([1, 0])
    expect(await starts(new FeedCursor((await now()) + 2 * WINDOW_MS))).toEqual([2, 2])
    const beyond = new FeedCursor(await now(), [[one, { seq: toOffset(99), at: 0 }]])
    expect(await starts(beyond)).toEqual([2, 0])
  })

  test('who joined lately is found, and who left again is not', async () => {
    const joined = await db.transaction(async (tx) => {
      const { id } = await addMember(tx, mia.houseId, { name: 'Ben', role: 'member' })
      const ben = toActorId(id)
      const threadId = await createThread(tx, mia, { title: 'with Ben', people: [ben], bots: [] })
      return { ben, threadId }
    })
    const addedTo = async () =>
      (await readJoins(db)).find(({ threadId }) => threadId === joined.threadId)?.added
    expect(await addedTo()).toEqual([mia.id, joined.ben])
    await db.transaction((tx) => leaveThreads(tx, mia, { kind: 'person', id: joined.ben }))
    const joins = await readJoins(db)
    expect(joins.filter(({ added }) => added.includes(joined.ben))).toEqual([])
  })

  test('a thread’s state is that of its live lease, and quiet without one', async () => {
    const [threadId = threads[0]] = threads
    if (threadId === undefined) throw new Error('no thread')
    const thread = { houseId: mia.houseId, threadId }
    expect(await readThreadState(db, threadId)).toEqual({ status: 'quiet' })
    expect(await listDecisions(db, thread, { before: undefined, limit: 10 })).toEqual([])

    await db.query(
      `insert into thread_directors (thread_id, house_id, fence, d, lease_until)
       values ($1, $2, 7, 0, clock_timestamp() + interval '1 minute')`,
      [threadId, mia.houseId],
    )
    const until = expect.any(Number)
    expect(await readThreadState(db, threadId)).toEqual({ status: 'deciding', fence: 7, until })

    await db.query(
      `insert into entries (house_id, thread_id, seq, key, kind, author_id, author_kind, wakes, readable, body)
       values ($1, $2, 3, 'arbe:decision:1', 'signal.thread_director.decision', 'director', 'director', false, false,
         '{"d": 1, "speaker": "agt_a"}')`,
      [mia.houseId, threadId],
    )
    await db.query(
      `update thread_directors set d = 1, last_decision = '{"d": 1, "speaker": "agt_a"}' where thread_id = $1`,
      [threadId],
    )
    const speaking = { status: 'speaking', fence: 7, bot: 'agt_a', decision: 1, tool: null }
    const since = expect.any(Number)
    expect(await readThreadState(db, threadId)).toEqual({ ...speaking, since, until })
    const at = expect.stringMatching(/Z$/)
    expect(await listDecisions(db, thread, { before: undefined, limit: 10 })).toEqual([
      { seq: 3, at, decision: { d: 1, speaker: 'agt_a' }, outcome: null },
    ])

    await db.query(
      `update thread_directors set lease_until = clock_timestamp() where thread_id = $1`,
      [threadId],
    )
    expect(await readThreadState(db, threadId)).toEqual({ status: 'quiet' })
  })
})
