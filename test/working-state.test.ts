import type { ThreadState } from '@arbe/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stateAt } from '../apps/www/src/client/house/live-turn.ts'
import type { Database } from '../packages/core/db/executor.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { openLiveBus } from '../packages/core/streams/live-bus.ts'
import { readThreadState } from '../packages/core/threads/thread-state.ts'
import { arrangeHouse } from './support/arranged-house.ts'
import { eachEngine } from './support/each-engine.ts'
import { calls, fakeModel, says } from './support/fake-model.ts'
import { type HeldHouse, openHeldHouse } from './support/held-house.ts'
import { createDatabase } from './support/postgres.ts'
import { requireOrSkip } from './support/require.ts'
import { startHouse } from './support/run-house.ts'

const HOLDS = calls(['hold'])

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  describe('what a thread is shown to do', () => {
    test('[F7] is who works and with which tool, for as long as the work lasts', async () => {
      await using house = await openHeldHouse(db, fakeModel(HOLDS, says('Done.')), '@ada please')
      await house.until(() => shown(house).includes('hold'))
      const seen = new Set<string>()
      await house.pass(600, () => seen.add(shown(house)))
      expect([...seen]).toEqual(['Ada runs hold'])
      expect(await readThreadState(db, house.threadId)).toMatchObject({ status: 'speaking' })
      house.letGo()
      await house.until(() => shown(house) === 'quiet')
      expect(house.errors).toEqual([])
    })

    test('[F7] is no longer believed than the lease, when nobody renews it', async () => {
      await using house = await openHeldHouse(db, fakeModel(HOLDS, says('Done.')), '@ada please')
      await house.until(() => shown(house).includes('hold'))
      const last = house.state ?? QUIET
      const now = house.clock.now()
      expect([11_999, 12_001].map((later) => stateAt(last, now + later).status)).toEqual([
        'speaking',
        'quiet',
      ])
      house.letGo()
    })

    test('[F7] is shown for the turn that follows what was said meanwhile, without a wake of its own', async () => {
      const model = fakeModel(HOLDS, says('Done.'), HOLDS, says('Done too.'))
      await using house = await openHeldHouse(db, model, '@ada please')
      await house.until(() => shown(house).includes('hold'))
      await house.say({ kind: 'chat', text: '@bo then you' })
      await house.say({ kind: 'chat', text: '@bo and quickly' })
      house.letGo()
      await house.until(() => shown(house) === 'Bo runs hold')
      house.letGo()
      await house.until(() => shown(house) === 'quiet')
      expect(distinct(house)).toEqual([
        'deciding',
        'Ada',
        'Ada runs hold',
        'Ada',
        'deciding',
        'Bo',
        'Bo runs hold',
        'Bo',
        'deciding',
        'quiet',
      ])
    })

    const lost: readonly (readonly [string, (house: HeldHouse) => Promise<unknown>])[] = [
      ['a look at the queue', async () => undefined],
      [
        'the sweep',
        ({ threadId }) => db.query(`delete from dispatch where key = 'thread:' || $1`, [threadId]),
      ],
    ]
    test.each(lost)('[F7] is shown for a wake that only %s found', async (_, lose) => {
      const model = fakeModel(HOLDS, says('Done.'))
      await using house = await openHeldHouse(db, model, 'thanks')
      await house.until(() => house.state?.status === 'quiet')
      await house.say({ kind: 'chat', text: '@ada please' }, 'nothing')
      await lose(house)
      house.clock.advance(31_000)
      await house.until(() => shown(house) === 'Ada runs hold')
      house.letGo()
      await house.until(() => shown(house) === 'quiet')
      expect(house.errors).toEqual([])
    })
  })
})

describe.skipIf(requireOrSkip('postgres'))('a worker that is killed', () => {
  const closing = new AsyncDisposableStack()
  afterAll(() => closing.disposeAsync())

  test('[F7] is shown to work until its lease has lapsed, and no longer', async () => {
    const made = await createDatabase()
    closing.defer(() => made.drop())
    const db = await openDatabase({ url: made.url })
    closing.defer(() => db.close())
    const bus = await openLiveBus(db)
    closing.defer(() => bus.close())
    const { threadId } = await arrangeHouse(db, '@ada put a line into the log')
    const heard = Promise.withResolvers<Extract<ThreadState, { status: 'speaking' }>>()
    let last: ThreadState = QUIET
    bus.listen({
      onEvent(event) {
        if (event.type !== 'state') return
        last = event.state
        if (last.status === 'speaking') heard.resolve(last)
      },
    })
    const order = { place: { url: made.url }, threadId, silentFrom: 0, leaseMs: LEASE_MS }
    const house = startHouse(order)
    const { bot } = await heard.promise
    expect(await readThreadState(db, threadId)).toMatchObject({ status: 'speaking', bot })

    house.send('SIGKILL')
    expect((await house.ended).wasKilled).toBe(true)
    const over = Date.now() + LEASE_MS
    await expect
      .poll(() => readThreadState(db, threadId), { timeout: 3 * LEASE_MS })
      .toEqual({ status: 'quiet' })
    expect(stateAt(last, over + 1)).toEqual({ status: 'quiet' })
  })
})

// Long enough for a busy machine to renew it.
const LEASE_MS = 4_000

const QUIET: ThreadState = { status: 'quiet' }

/** As a page says it to whom looks now. */
const shown = (house: HeldHouse): string =>
  say(house, stateAt(house.state ?? QUIET, house.clock.now()))

function distinct(house: HeldHouse): readonly string[] {
  const said = house.events.flatMap((event) =>
    event.type === 'state' ? [say(house, event.state)] : [],
  )
  return said.filter((one, at) => one !== said[at - 1])
}

function say({ names }: HeldHouse, state: ThreadState): string {
  if (state.status !== 'speaking') return state.status
  const bot = names.get(state.bot) ?? state.bot
  return state.tool === null ? bot : `${bot} runs ${state.tool}`
}
