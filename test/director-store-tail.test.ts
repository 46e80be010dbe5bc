import type { ThreadId } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import type { Capture, Lease } from '../packages/core/thread-director/thread-director-port.ts'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { createHouse, databaseWorld } from './director-store/database-world.ts'
import { ann, comparable, draftFor, reply, stepsIn, type Steps } from './director-store/steps.ts'
import type { DirectorWorld } from './director-store/world.ts'
import { eachEngine } from './support/each-engine.ts'

eachEngine((open) => {
  let db: Database
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    db = await open()
    await createHouse(db)
    world = databaseWorld(db)
    steps = stepsIn(world)
  })

  test.each([1, 2, 3])(
    '[I11][E13] what a holder remembers, what the row caches and what the stream says is one (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const thread = await world.newThread()
      let lease = await steps.claim(thread)
      await world.store.renew(lease, 600_000)
      for (let pass = 0; pass < 16; pass += 1) {
        await talk(thread, random, 1 + (pass === 7 ? 190 : random(6)))
        if (random(3) === 0) lease = await steps.claim(thread)
        await world.store.renew(lease, 600_000)
        // The first may have come along with an earlier answer.
        await world.store.capture(lease)
        const capture = await world.store.capture(lease)
        expect(comparable(await throughCache(lease))).toEqual(comparable(capture))
        expect(comparable(await fromStream(lease))).toEqual(comparable(capture))
        await decide(lease, capture, random)
      }
      const [row] = await db.query<{ to: number }>(
        `select tail_to as to from thread_directors where thread_id = $1`,
        [thread],
      )
      expect(row?.to).toBeGreaterThan(0)
    },
  )

  test('a tail too long to cache is read from the stream', async () => {
    const thread = await world.newThread()
    for (let n = 0; n < 30; n += 1) await world.say(thread, { text: 'x'.repeat(10_000) })
    const lease = await steps.claim(thread)
    const { decision } = await steps.stored(lease, await world.store.capture(lease), ann)
    await world.store.closeDecision(lease, decision, reply('hi'))
    const [row] = await db.query(
      `select tail, tail_to as to from thread_directors where thread_id = $1`,
      [thread],
    )
    expect(row).toEqual({ tail: [], to: 0 })
  })

  /** Another process: it remembers nothing, and finds the cache in the row. */
  function throughCache(lease: Lease): Promise<Capture> {
    return createThreadDirectorStore(db, () => undefined).capture(lease)
  }

  async function fromStream(lease: Lease): Promise<Capture> {
    const work = db.transaction(async (tx) => {
      await tx.query(`update thread_directors set tail = '[]', tail_to = 0 where thread_id = $1`, [
        lease.threadId,
      ])
      const store = createThreadDirectorStore(
        {
          query: (sql, params) => tx.query(sql, params),
          transaction: (inner) => inner(tx),
          renewals: tx,
        },
        () => undefined,
      )
      throw new Captured(await store.capture(lease))
    })
    return work.catch((error: unknown) => {
      if (error instanceof Captured) return error.capture
      throw error
    })
  }

  async function talk(thread: ThreadId, random: Random, entries: number): Promise<void> {
    const chats = (await world.entries(thread)).filter(({ kind }) => kind === 'chat')
    for (let n = 0; n < entries; n += 1) {
      const target = chats[random(chats.length)]?.seq
      const kind = random(8)
      if (target === undefined || kind > 3) await world.say(thread, { text: `text ${n}` })
      else if (kind === 0) await world.say(thread, { text: 'answer', replyTo: target })
      else if (kind === 1) await world.change(thread, { kind: 'chat.edit', target, text: 'edited' })
      else if (kind === 2) await world.change(thread, { kind: 'chat.delete', target })
      else await world.say(thread, { text: 'imported', wakes: false })
    }
  }

  async function decide(lease: Lease, capture: Capture, random: Random): Promise<void> {
    const choice = random(4)
    if (choice === 0) return
    const draft = draftFor(capture, choice === 1 ? null : ann)
    // A range may end before the last unread entry.
    const to = capture.unread[random(capture.unread.length)]?.seq ?? draft.to
    if (random(2) === 0) await talk(lease.threadId, random, 1)
    const stored = await world.store.storeDecision(lease, capture.rosterVersion, { ...draft, to })
    if (stored.status !== 'stored') throw new Error(stored.status)
    if (stored.decision.speaker !== null)
      await world.store.closeDecision(lease, stored.decision, reply('hi'))
  }
})

class Captured extends Error {
  readonly capture: Capture

  constructor(capture: Capture) {
    super('rolls back')
    this.capture = capture
  }
}

type Random = (below: number) => number

function randomFrom(seed: number): Random {
  let state = seed * 7_919
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return below === 0 ? 0 : state % below
  }
}
