import { randomUUID } from 'node:crypto'
import type { ThreadId } from '@arbe/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { createBooks } from '../packages/core/models/ledger.ts'
import { replayDecisions } from '../packages/core/thread-director/replay-decisions.ts'
import { eachEngine } from './support/each-engine.ts'
import { fakeClock } from './support/fake-clock.ts'
import { calls, fails, type FakeModel, fakeModel, replies } from './support/fake-model.ts'
import { openTalkingHouse, type TalkingHouse } from './support/talking-house.ts'
import { spentToday } from './support/spent-today.ts'

const picks = (name: string) => calls(['decide', { pick: name, reason: 'fits' }])
/** What the talking house pays to have a speaker chosen, and what the model that is tried takes. */
const [THEN, NOW] = [0.0013, 0.25]

eachEngine((open) => {
  let db: Database
  let house: TalkingHouse
  /** Three questions that a model answered, with a rule's answer to thanks between the first two. */
  let threadId: ThreadId
  let chosen: readonly number[]
  beforeAll(async () => {
    db = await open()
    house = await openTalkingHouse(db)
    threadId = await house.newThread()
    for (const text of ['Who knows the tides?', 'Thanks!', 'And the moon?', 'And the wind?'])
      await house.say(threadId, { kind: 'chat', text })
    chosen = await chosenAt()
  })
  afterAll(() => house[Symbol.asyncDispose]())

  async function replayed(model: FakeModel | undefined, thread = threadId) {
    const { houseId } = house
    const clock = fakeClock()
    const asker = {
      db,
      books: createBooks(db),
      models: { find: () => model, defaultName: 'none/none', names: [] },
      clock,
      random: Math.random,
      newCallId: randomUUID,
      toolNames: async () => () => [],
    }
    const { signal } = new AbortController()
    const wish = { houseId, threadId: thread, last: 50, model: model?.id, signal }
    const { decisions, ...sums } = await clock.run(replayDecisions(asker, wish))
    const notes = decisions
      .filter(({ verdict, stored }) => verdict !== 'same' && stored.rule !== 'bot_spoke')
      .map(({ seq, verdict, now, note }) => ({ seq, verdict, now: now?.rule ?? now?.kind, note }))
    return { notes, sums }
  }

  async function chosenAt(thread = threadId): Promise<readonly number[]> {
    const rows = await db.query<{ seq: number }>(
      `select seq from entries where thread_id = $1 and kind = 'signal.thread_director.decision'
         and (body ->> 'kind' <> 'free' or body ->> 'rule' = 'budget_spent') order by entries.seq`,
      [thread],
    )
    return rows.map(({ seq }) => seq)
  }

  const refused = '401 invalid x-api-key'
  const away = '500 overloaded'
  test.each([
    ['refuses', fails(refused), `the model refused to answer: ${refused}`, 1],
    [
      'is away',
      fails(away, { retryable: true }),
      `the model could not be reached for two minutes: ${away}`,
      8,
    ],
  ])('a model that %s is no difference, and is not asked again', async (_, reply, why, times) => {
    const model = fakeModel(reply)
    const { notes, sums } = await replayed(model)
    const [first = 0, ...others] = chosen
    expect(notes).toEqual([
      { seq: first, verdict: 'not_replayed', now: 'unavailable', note: why },
      ...others.map((seq) => ({
        seq,
        verdict: 'not_replayed',
        now: undefined,
        note: `no model was asked any more after ${first}`,
      })),
    ])
    expect(sums).toEqual({
      same: 4,
      different: 0,
      notComparable: 0,
      notAsked: 0,
      notReplayed: 3,
      cost: { stored: 0, now: 0 },
    })
    expect(model.requests).toHaveLength(times)
  })

  test('a budget that is spent on the way is no difference, and what was paid is told', async () => {
    const spent = await spentToday(db, house.houseId)
    await setBudget(spent + NOW / 2)
    const model = { ...fakeModel(picks('Ada')), price: { ...prices, input: 1 } }
    const { notes, sums } = await replayed(model)
    await setBudget(null)
    const [first = 0, second = 0, third = 0] = chosen
    expect(first).toBeLessThan(second)
    expect(notes).toEqual([
      {
        seq: second,
        verdict: 'not_replayed',
        now: 'budget_spent',
        note: 'the budget of today is spent',
      },
      {
        seq: third,
        verdict: 'not_replayed',
        now: undefined,
        note: `no model was asked any more after ${second}`,
      },
    ])
    expect(sums).toMatchObject({ same: 5, different: 0, notReplayed: 2 })
    expect(sums.cost).toEqual({ stored: THEN, now: NOW })
  })

  test('what a model gives no choice for is a difference: it was asked, and it answered', async () => {
    const model = fakeModel(replies([{ type: 'text', text: 'What a question.' }]))
    const { sums } = await replayed(model)
    expect(sums).toMatchObject({ same: 4, different: 3, notReplayed: 0, cost: { now: 6 * NOW } })
  })

  test('a question that nobody was asked then is shown with its answer and held against none', async () => {
    const thread = await house.newThread()
    await setBudget(0)
    await house.say(thread, { kind: 'chat', text: 'And the stars?' })
    await setBudget(null)
    await house.say(thread, { kind: 'chat', text: 'And the clouds?' })
    const [seq] = await chosenAt(thread)
    const { notes, sums } = await replayed(fakeModel(picks('Ada')), thread)
    expect(notes).toEqual([
      {
        seq,
        verdict: 'not_comparable',
        now: 'paid',
        note: 'no model was asked then: the budget of the day was spent',
      },
    ])
    expect(sums).toMatchObject({ same: 2, different: 0, notComparable: 1, notReplayed: 0 })
    expect(sums.cost).toEqual({ stored: THEN, now: 2 * NOW })
  })

  test('without a model what a model chose is not asked, not called the same, and has no bill', async () => {
    const { notes, sums } = await replayed(undefined)
    const note = 'no rule answers it, then as now; no model was asked'
    expect(notes).toEqual(
      chosen.map((seq) => ({ seq, verdict: 'not_asked', now: undefined, note })),
    )
    expect(sums).toEqual({
      same: 4,
      different: 0,
      notComparable: 0,
      notAsked: 3,
      notReplayed: 0,
      cost: { stored: expect.closeTo(3 * THEN, 12), now: null },
    })
  })

  test('the calls stand in the books as a replay and under no other name', async () => {
    const books = async () => {
      const rows = await db.query<{ purpose: string; calls: number }>(
        `select purpose, count(*)::int as calls from ledger where thread_id = $1 group by purpose`,
        [threadId],
      )
      return Object.fromEntries(rows.map(({ purpose, calls }) => [purpose, calls]))
    }
    const { replay = 0, ...others } = await books()
    await replayed(fakeModel(picks('Bo')))
    expect(await books()).toEqual({ ...others, replay: replay + 3 })
  })

  async function setBudget(dollars: number | null): Promise<void> {
    await db.query('update houses set budget_per_day = $2 where id = $1', [house.houseId, dollars])
  }
})

const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
