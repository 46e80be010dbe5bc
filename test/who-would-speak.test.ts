import { type ActorId, type Offset, type ThreadId, type TriggerMode } from '@arbe/sdk'
import { BotInputSchema, type WhoWouldSpeakInput } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PersonActor } from '../packages/core/access/authorship.ts'
import { createHouse } from '../packages/core/access/houses.ts'
import { createBot } from '../packages/core/bots/bots.ts'
import type { Database } from '../packages/core/db/executor.ts'
import type { Model } from '../packages/core/models/model.ts'
import { createBooks } from '../packages/core/models/ledger.ts'
import { appendEntry } from '../packages/core/streams/thread-stream.ts'
import { draftDecision } from '../packages/core/thread-director/thread-director-draft.ts'
import { viewOf } from '../packages/core/thread-director/thread-director-entry-view.ts'
import { decide } from '../packages/core/thread-director/thread-director-rules.ts'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { whoWouldSpeak } from '../packages/core/thread-director/who-would-speak.ts'
import { appendMessage } from '../packages/core/threads/append-message.ts'
import { createThread } from '../packages/core/threads/create-thread.ts'
import { eachEngine } from './support/each-engine.ts'
import { fakeClock } from './support/fake-clock.ts'
import { calls, fakeModel } from './support/fake-model.ts'
import { spentToday } from './support/spent-today.ts'

const PRICED = { price: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } }
const picks = (pick: string) => calls(['decide', { pick, reason: 'It fits.' }])

interface House {
  readonly db: Database
  readonly mia: PersonActor
  readonly ada: ActorId
  readonly bo: ActorId
}

async function arrange(db: Database): Promise<House> {
  return await db.transaction(async (tx) => {
    const names = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
    const { houseId, ownerId } = await createHouse(tx, names)
    const bot = (name: string, description: string) =>
      createBot(tx, houseId, BotInputSchema.parse({ name, description }))
    const mia = { kind: 'person', tokenKind: 'ses', tokenHash: '', role: 'owner' } as const
    return {
      db,
      mia: { ...mia, houseId, id: ownerId },
      ada: await bot('Ada', 'Knows bread.'),
      bo: await bot('Bo', 'Knows stones.'),
    }
  })
}

eachEngine((open) => {
  let house: House
  beforeAll(async () => {
    house = await arrange(await open())
  })

  const threadOf = (...bots: readonly ActorId[]): Promise<ThreadId> =>
    house.db.transaction((tx) => createThread(tx, house.mia, { title: '', people: [], bots }))

  const say = async (threadId: ThreadId, text: string): Promise<Offset> => {
    const { db, mia } = house
    const door = { db, append: appendEntry.bind(undefined, db), stop: () => Promise.reject() }
    const message = { threadId, clientKey: randomUUID(), input: { kind: 'chat', text } as const }
    return (await appendMessage(door, mia, message)).seq
  }

  const ask = (
    threadId: ThreadId,
    input: WhoWouldSpeakInput,
    model: Model = fakeModel(picks('nobody')),
  ) =>
    whoWouldSpeak(
      {
        db: house.db,
        books: createBooks(house.db),
        models: { find: () => model, defaultName: model.id, names: [model.id] },
        clock: fakeClock(),
        random: () => 0,
        newCallId: randomUUID,
        toolNames: async () => () => ['write_file'],
      },
      house.mia,
      { threadId, input, signal: new AbortController().signal },
    )

  /** All that a look must leave as it is. */
  const everything = (threadId: ThreadId) =>
    Promise.all(
      [
        'select * from entries where thread_id = $1 order by seq',
        'select * from threads where id = $1',
        'select * from thread_directors where thread_id = $1',
        `select * from dispatch where key = 'thread:' || $1`,
      ].map((sql) => house.db.query(sql, [threadId])),
    )

  const decideNow = async (threadId: ThreadId) => {
    const store = createThreadDirectorStore(house.db, () => undefined)
    const claim = await store.claim(threadId, { id: 'worker', leaseMs: 60_000 })
    if (claim.status !== 'claimed') throw new Error(claim.status)
    const capture = await store.capture(claim.lease)
    const view = viewOf(capture)
    const answer = decide(view)
    if (answer.kind !== 'free') throw new Error('a rule was to answer')
    const draft = draftDecision(view, answer, 0)
    return await store.storeDecision(claim.lease, capture.rosterVersion, draft)
  }

  describe('who would speak', () => {
    test('a rule answers with the decision as it would be stored, and nothing has changed', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const before = await everything(threadId)
      const answer = await ask(threadId, { text: '@ada what is for lunch?' })
      expect(answer).toMatchObject({
        kind: 'decided',
        running: null,
        behind: false,
        modeFrom: null,
        decision: {
          d: 1,
          kind: 'free',
          rule: 'mention',
          speaker: house.ada,
          cost: 0,
          candidates: [
            { id: house.ada, name: 'Ada', eligible: true },
            { id: house.bo, name: 'Bo', eligible: true },
          ],
        },
      })
      expect(await everything(threadId)).toEqual(before)
      expect(before[2]).toEqual([])
    })

    test('what waits in the thread is decided along with the text', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const waiting = await say(threadId, '@bo look at this')
      const { decision } = decided(await ask(threadId, { text: 'thanks' }))
      expect([decision.rule, decision.speaker]).toEqual(['mention', house.bo])
      expect(decision.to).toBe(waiting + 1)
    })

    test('while a turn runs it says what would come after it, and leaves the lease alone', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      await say(threadId, '@ada begin')
      expect((await decideNow(threadId)).status).toBe('stored')
      await say(threadId, 'and hurry')
      const before = await everything(threadId)
      const answer = await ask(threadId, { text: '@bo and you?' })
      expect(answer.running).toBe(house.ada)
      const { decision } = decided(answer)
      expect([decision.rule, decision.speaker]).toEqual(['mention', house.bo])
      // Past the range of the turn that runs, with the text that waits.
      expect(decision.to - decision.from).toBe(3)
      expect(await everything(threadId)).toEqual(before)
    })

    test('a text behind a backlog is answered with what comes before it', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      for (let count = 0; count < 101; count += 1) await say(threadId, `@ada ${count}`)
      const answer = await ask(threadId, { text: '@bo hello' })
      expect([answer.behind, decided(answer).decision.rule]).toEqual([true, 'backlog'])
    })

    test('a reply asks whoever is replied to, however long ago that was said', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const said = await appendEntry(house.db, {
        houseId: house.mia.houseId,
        threadId,
        key: 'arbe:reply:0',
        authorId: house.bo,
        authorKind: 'bot',
        kind: 'chat',
        body: { text: 'so it is' },
        wakes: false,
        readable: true,
      })
      if (said.status !== 'ok') throw new Error(said.status)
      for (let count = 0; count < 61; count += 1)
        await appendEntry(house.db, {
          houseId: house.mia.houseId,
          threadId,
          key: `import:${count}`,
          authorId: house.mia.id,
          authorKind: 'person',
          kind: 'chat',
          body: { text: 'long since' },
          wakes: false,
          readable: true,
        })
      const { decision } = decided(await ask(threadId, { text: 'is it?', replyTo: said.seq }))
      expect([decision.rule, decision.speaker]).toEqual(['reply_to', house.bo])
    })

    test('what could not be said is refused as it is at the door', async () => {
      const threadId = await threadOf(house.ada)
      await expect(ask(threadId, { text: '  ' })).rejects.toMatchObject({ code: 'invalid_body' })
      await expect(ask(threadId, { text: 'x', replyTo: 99 })).rejects.toMatchObject({
        code: 'not_found',
      })
      const other = await ask(threadId, { text: 'x', bot: { id: house.bo } }).catch(String)
      expect(other).toContain(`No bot "${house.bo}" is in this thread.`)
    })
  })

  describe('where no rule answers', () => {
    test('it says among whom a model would choose, and asks it only when told to', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const model = { ...fakeModel(picks('c1')), ...PRICED }
      const before = await everything(threadId)
      const answer = await ask(threadId, { text: 'who knows?' }, model)
      expect(answer).toMatchObject({
        kind: 'paid_needed',
        model: 'fake/model',
        nobodyAllowed: true,
        candidates: [
          { name: 'Ada', eligible: true },
          { name: 'Bo', eligible: true },
        ],
      })
      const { inputTokens, cost } = answer.kind === 'paid_needed' ? answer : NOTHING
      expect(inputTokens).toBeGreaterThan(100)
      expect(cost).toBeCloseTo((inputTokens * 3 + 60 * 15) / 1_000_000)
      expect(model.requests).toEqual([])

      const { decision } = decided(await ask(threadId, { text: 'who knows?', paid: true }, model))
      expect(decision).toMatchObject({
        kind: 'paid',
        reason: 'It fits.',
        cost: 0.25,
        speaker: house.ada,
      })
      expect(await everything(threadId)).toEqual(before)
      const booked = await house.db.query(
        `select decision::int, purpose, cost::float8 as cost, settled_at is not null as settled
         from ledger where thread_id = $1`,
        [threadId],
      )
      expect(booked).toEqual([{ decision: 1, purpose: 'preview', cost: 0.25, settled: true }])
    })

    test('what it costs counts against the budget of the day, and then nobody is asked', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const model = { ...fakeModel(picks('c1')), ...PRICED }
      const spent = await spentToday(house.db, house.mia.houseId)
      const setBudget = (budget: number | null) =>
        house.db.query('update houses set budget_per_day = $1', [budget])
      await setBudget(spent + 0.1)
      const rules: (string | undefined)[] = []
      for (let time = 0; time < 2; time += 1) {
        const { decision } = decided(await ask(threadId, { text: 'and?', paid: true }, model))
        rules.push(decision.rule ?? decision.kind)
      }
      await setBudget(null)
      expect(rules).toEqual(['paid', 'budget_spent'])
      expect(model.requests.length).toBe(1)
    })
  })

  describe('a bot in the editor', () => {
    const modes: readonly (readonly [TriggerMode | null, string])[] = [
      ['always', 'always'],
      ['never', 'none_eligible'],
      ['mention', 'mention_only'],
      [null, 'paid_needed'],
    ]
    test.each(modes)('is tried out with the mode %s before that is saved', async (mode, rule) => {
      const threadId = await threadOf(house.ada)
      // A thread of one person and one bot sets its mode itself when it is made.
      await setModes(threadId, [{ bot: house.ada, mode: null }])
      const answer = await ask(threadId, {
        text: 'well?',
        bot: { id: house.ada, triggerMode: mode },
      })
      expect(answer.kind === 'decided' ? answer.decision.rule : answer.kind).toBe(rule)
      expect(answer.modeFrom).toBe(mode === null ? 'house' : 'bot')
    })

    test('is subject to the mode that the thread has set for it', async () => {
      const threadId = await threadOf(house.ada)
      const answer = await ask(threadId, {
        text: 'well?',
        bot: { id: house.ada, triggerMode: 'never' },
      })
      expect([decided(answer).decision.rule, answer.modeFrom]).toEqual(['always', 'thread'])
    })

    test('answers to the handle and is shown by the words that it has in the form', async () => {
      const threadId = await threadOf(house.ada, house.bo)
      const bot = {
        id: house.ada,
        name: 'Ada II',
        handle: 'countess',
        description: 'Knows engines.',
      }
      const { decision } = decided(await ask(threadId, { text: '@countess hello', bot }))
      expect([decision.rule, decision.speaker]).toEqual(['mention', house.ada])
      expect(decision.candidates[0]).toMatchObject({ name: 'Ada II' })

      const model = fakeModel(picks('nobody'))
      await ask(threadId, { text: 'who knows?', paid: true, bot }, model)
      const sent = JSON.stringify(model.requests)
      expect([sent.includes('Knows engines.'), sent.includes('Knows bread.')]).toEqual([
        true,
        false,
      ])
    })

    async function setModes(
      threadId: ThreadId,
      modes: readonly { readonly bot: ActorId; readonly mode: TriggerMode | null }[],
    ): Promise<void> {
      for (const { bot, mode } of modes)
        await house.db.query(
          'update thread_bots set trigger_mode = $3 where thread_id = $1 and bot_id = $2',
          [threadId, bot, mode],
        )
    }
  })
})

const NOTHING = { inputTokens: 0, cost: 0 }

type Answer = Awaited<ReturnType<typeof whoWouldSpeak>>

function decided(answer: Answer): Extract<Answer, { readonly kind: 'decided' }> {
  if (answer.kind !== 'decided') throw new Error(`it was to be decided: ${JSON.stringify(answer)}`)
  return answer
}
