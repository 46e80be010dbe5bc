import { toActorId, toHouseId, type Entry, type ThreadId } from '@arbe/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database, Executor } from '../packages/core/db/executor.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { readContext } from '../packages/core/streams/read-context.ts'
import { createTurnWrites } from '../packages/core/thread-director/turn-write.ts'
import { LeaseLost } from '../packages/core/threads/turn.ts'
import { createHouse, databaseWorld } from './director-store/database-world.ts'
import {
  ann,
  assistant,
  call,
  draftFor,
  LEASE_MS,
  mia,
  ok,
  reply,
  stepsIn,
} from './director-store/steps.ts'
import type { Decided, Steps } from './director-store/steps.ts'
import type { DirectorWorld } from './director-store/world.ts'
import { inLanes } from './support/kill-ground.ts'
import { eachEngine } from './support/each-engine.ts'
import { createDatabase } from './support/postgres.ts'
import { requireOrSkip } from './support/require.ts'

/** A thousand in the long form. */
const WAKES = Number(process.env['ARBE_WAKES'] ?? 150)

eachEngine((open) => {
  let db: Database
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    db = await open()
    await createHouse(db)
    world = databaseWorld(db)
    steps = stepsIn(world)
    await steps.decided(ann)
  })

  // One that reached for the database behind the transaction's back would wait for ever on the embedded engine.
  const operations: readonly (readonly [
    string,
    (tx: Executor, held: Decided) => Promise<unknown>,
  ])[] = [
    ['dueThreads', (tx) => databaseWorld(on(tx)).store.dueThreads(10)],
    [
      'claim',
      (tx, { thread }) => databaseWorld(on(tx)).store.claim(thread, { id: 'w', leaseMs: LEASE_MS }),
    ],
    ['renew', (tx, { lease }) => databaseWorld(on(tx)).store.renew(lease, LEASE_MS)],
    ['capture', (tx, { lease }) => databaseWorld(on(tx)).store.capture(lease)],
    [
      'closeDecision',
      (tx, { lease, decision }) =>
        databaseWorld(on(tx)).store.closeDecision(lease, decision, reply('hi')),
    ],
    ['turnEntries', (tx, { lease }) => databaseWorld(on(tx)).store.turnEntries(lease, 1)],
    [
      'releaseIfQuiet',
      (tx, { lease, capture }) => databaseWorld(on(tx)).store.releaseIfQuiet(lease, capture.rev),
    ],
    ['handBack', (tx, { lease }) => databaseWorld(on(tx)).store.handBack(lease)],
    ['backOff', (tx, { lease }) => databaseWorld(on(tx)).store.backOff(lease, 'broken')],
    [
      'stop',
      (tx, { thread }) =>
        databaseWorld(on(tx)).store.stop({ threadId: thread, authorId: mia, key: 'k' }),
    ],
    ['sweep', (tx) => databaseWorld(on(tx)).store.sweep()],
    ['assistant', (tx, held) => assistant(databaseWorld(on(tx)), held.lease, held.decision)],
    [
      'toolResult',
      (tx, held) =>
        databaseWorld(on(tx)).turnWrites(held.lease, held.decision).toolResult(call, ok),
    ],
    [
      'toolEffect',
      (tx, held) =>
        databaseWorld(on(tx))
          .turnWrites(held.lease, held.decision)
          .toolEffect(call, async () => ok),
    ],
    [
      'readContext',
      (tx, { thread, capture }) =>
        readContext(tx, {
          houseId: toHouseId('hse_1'),
          threadId: thread,
          botId: toActorId('agt_ann'),
          from: capture.decidedOffset,
          seen: capture.seen,
          owed: [],
          limit: 10,
        }),
    ],
  ]

  test.each(operations)(
    '%s runs inside an open transaction',
    { timeout: 5_000 },
    async (_name, run) => {
      const held = await steps.decided(ann)
      const ran = db.transaction(async (tx) => {
        await run(tx, held)
        return 'committed'
      })
      expect(await ran).toBe('committed')
    },
  )
})

describe.skipIf(requireOrSkip('postgres'))('several sessions at once', () => {
  let db: Database
  let world: DirectorWorld
  let steps: Steps
  let dispose: () => Promise<void>
  beforeAll(async () => {
    const made = await createDatabase()
    db = await openDatabase({ url: made.url })
    dispose = async () => {
      await db.close()
      await made.drop()
    }
    await createHouse(db)
    world = databaseWorld(db)
    steps = stepsIn(world)
  })
  afterAll(() => dispose())

  test('[D14] a release waits for the append that is under way, and finds its wake', async () => {
    const { thread, lease, capture } = await steps.claimedWith('hello')
    await steps.stored(lease, capture, null)
    const { rev } = await world.store.capture(lease)
    const answer = await meanwhile(
      (tx) => databaseWorld(on(tx)).say(thread, { text: 'late' }),
      () => world.store.releaseIfQuiet(lease, rev),
    )
    expect(answer).toBe('more')
  })

  test('[D14] a decision that lets go waits for the append that is under way, and finds its wake', async () => {
    const { thread, lease, capture } = await steps.claimedWith('hello')
    const answer = await meanwhile(
      (tx) => databaseWorld(on(tx)).say(thread, { text: 'late' }),
      () => world.store.storeAndRelease(lease, capture, draftFor(capture, null)),
    )
    expect(answer).toMatchObject({ status: 'stored' })
  })

  test('[R-13] a wake that reaches five workers at once is decided once', async () => {
    const threads: ThreadId[] = []
    while (threads.length < WAKES) threads.push(await world.newThread())
    await inLanes(8, threads, async (thread) => {
      await world.say(thread)
      await Promise.all([1, 2, 3, 4, 5].map(() => serve(thread)))
      // Whoever found it busy has left a row for later.
      await serve(thread)
    })
    const kinds = await Promise.all(threads.map((thread) => steps.kindsIn(thread)))
    expect(kinds).toEqual(threads.map(() => ['chat', 'signal.thread_director.decision']))
    const rows = await Promise.all(threads.map((thread) => world.queueRow(thread)))
    expect(rows.filter((row) => row !== undefined)).toEqual([])
  })

  async function serve(thread: ThreadId): Promise<void> {
    const claim = await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })
    if (claim.status !== 'claimed') return
    const { lease } = claim
    const capture = await world.store.capture(lease)
    if (capture.unread.length > 0) await steps.stored(lease, capture, null)
    await world.store.releaseIfQuiet(lease, (await world.store.capture(lease)).rev)
  }

  test('[L15] a decision waits for the change of the roster that is under way, and is stale', async () => {
    const { thread, lease, capture } = await steps.claimedWith('hello')
    const answer = await meanwhile(
      async (tx) => {
        await databaseWorld(on(tx)).say(thread, { text: 'muted ann' })
        await databaseWorld(on(tx)).mute(thread, ann)
      },
      () => world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
    )
    expect(answer).toEqual({ status: 'stale' })
  })

  test('[I4] a stop waits for the effect that is under way, and nothing of the turn comes after it', async () => {
    const { thread, lease, decision } = await steps.decided(ann)
    const writes = (tx: Executor) => createTurnWrites(on(tx), { lease, decision }, () => undefined)
    await meanwhile(
      (tx) => writes(tx).toolEffect(call, async () => ok),
      () => world.store.stop({ threadId: thread, authorId: mia, key: 'ses:usr_mia:stop' }),
    )
    await expect(writes(db).toolResult({ ...call, index: 1 }, ok)).rejects.toThrow(LeaseLost)
    expect((await steps.kindsIn(thread)).slice(2)).toEqual([
      'pi.tool_result',
      'thread.stop',
      'signal.thread_director.outcome',
    ])
  })

  test('[I8] an effect whose lease is lost is rolled back with its result', async () => {
    const { thread, lease, decision } = await steps.decided(ann)
    const writes = world.turnWrites(lease, decision)
    const lost = writes.toolEffect(call, async (tx) => {
      await tx.query(`update threads set title = 'effect' where id = $1`, [thread])
      await tx.query(`update thread_directors set lease_until = now() where thread_id = $1`, [
        thread,
      ])
      return ok
    })
    await expect(lost).rejects.toThrow(LeaseLost)
    const [row] = await db.query(`select title from threads where id = $1`, [thread])
    expect(row).toEqual({ title: '' })
  })

  test('[I1][I3] appends, turns, closes, stops and sweeps at once deadlock nowhere and tile the stream', async () => {
    const threads = await Promise.all([1, 2, 3].map(() => world.newThread()))
    const ends = performance.now() + 3_000
    const loop = async (work: (thread: ThreadId) => Promise<unknown>): Promise<void> => {
      for (let n = 0; performance.now() < ends; n += 1) {
        const thread = threads[n % threads.length]
        if (thread !== undefined) await work(thread)
      }
    }
    let stops = 0
    const stop = (threadId: ThreadId) =>
      world.store.stop({ threadId, authorId: mia, key: `ses:usr_mia:${(stops += 1)}` })
    await Promise.all([
      ...Array.from({ length: 4 }, () => loop((thread) => world.say(thread))),
      ...Array.from({ length: 4 }, () => loop((thread) => runPass(world, thread))),
      loop(stop),
      loop((thread) => world.wake(thread)),
      loop(() => world.store.sweep()),
    ])
    for (const thread of threads) expect(tilesOf(await world.entries(thread))).toEqual([])
  })

  /** Runs `second` while the transaction of `first` is open, and commits that once `second` waits for it. */
  async function meanwhile<Answer>(
    first: (tx: Executor) => Promise<unknown>,
    second: () => Promise<Answer>,
  ): Promise<Answer> {
    let answer: Promise<Answer> | undefined
    await db.transaction(async (tx) => {
      await first(tx)
      answer = second()
      for (;;) {
        const [row] = await db.query(`select 1 from pg_locks where not granted limit 1`)
        if (row !== undefined) return
      }
    })
    if (answer === undefined) throw new Error('nothing was started')
    return answer
  }
})

async function runPass(world: DirectorWorld, thread: ThreadId): Promise<void> {
  const claim = await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })
  if (claim.status !== 'claimed') return
  const { lease } = claim
  const capture = await world.store.capture(lease)
  const running = capture.lastDecision?.speaker != null && capture.lastOutcome === undefined
  const stored = running
    ? undefined
    : await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann))
  const decision = stored?.status === 'stored' ? stored.decision : capture.lastDecision
  if (decision === undefined || stored?.status === 'lease_lost') return
  try {
    await assistant(world, lease, decision)
  } catch (error) {
    if (error instanceof LeaseLost) return
    throw error
  }
  const closed = await world.store.closeDecision(lease, decision, reply('hi'))
  if (closed.status === 'lease_lost') return
  const { rev } = await world.store.capture(lease)
  if ((await world.store.releaseIfQuiet(lease, rev)) === 'more') await world.store.handBack(lease)
}

/** What is wrong with the decisions of a stream. */
function tilesOf(entries: readonly Entry[]): readonly string[] {
  const wrong: string[] = []
  let decided = 0
  let running: number | undefined
  for (const entry of entries) {
    if (entry.kind === 'signal.thread_director.decision') {
      if (entry.body.from !== decided)
        wrong.push(`${entry.seq} begins at ${entry.body.from}, not ${decided}`)
      if (running !== undefined) wrong.push(`${entry.seq} while ${running} runs`)
      if (entry.body.speaker === null) decided = entry.body.to
      else running = entry.body.to
    }
    if (entry.kind === 'signal.thread_director.outcome') {
      if (running === undefined) wrong.push(`${entry.seq} ends nothing`)
      else decided = running
      running = undefined
    }
    if (entry.kind === 'pi.assistant' && running === undefined)
      wrong.push(`${entry.seq} of no turn`)
  }
  return wrong
}

/** An open transaction in the place of a database. */
function on(tx: Executor): Database {
  const unused = (): never => {
    throw new Error('not inside a transaction')
  }
  return {
    engine: 'postgres',
    query: (sql, params) => tx.query(sql, params),
    transaction: (work) => work(tx),
    renewals: tx,
    exec: unused,
    listen: unused,
    close: unused,
  }
}
