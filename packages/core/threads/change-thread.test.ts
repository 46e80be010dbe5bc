import { type ActorId, type Entry, type ThreadId, toOffset } from '@arbe/sdk'
import { BotInputSchema } from '@arbe/sdk/api'
import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { PersonActor } from '../access/authorship.ts'
import { createHouse } from '../access/houses.ts'
import { addMember, removeMember } from '../access/members.ts'
import { createBot, editBot, removeBot } from '../bots/bots.ts'
import type { Database } from '../db/executor.ts'
import { dueThreads } from '../jobs/dispatch-queue.ts'
import { readAfter } from '../streams/thread-stream.ts'
import { type ThreadPatch, changeThread } from './change-thread.ts'
import { createThread } from './create-thread.ts'
import { leaveThreads } from './leave-threads.ts'
import { getThread, listThreads } from './threads.ts'

eachEngine((open) => {
  let db: Database
  let mia: PersonActor
  let ben: ActorId
  let ada: ActorId
  let bo: ActorId

  beforeAll(async () => {
    db = await open()
    await db.transaction(async (tx) => {
      const house = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
      const { houseId, ownerId } = await createHouse(tx, house)
      mia = { kind: 'person', tokenKind: 'ses', tokenHash: '', role: 'owner', houseId, id: ownerId }
      ben = (await addMember(tx, houseId, { name: 'Ben', role: 'member' })).id as ActorId
      ada = await createBot(tx, houseId, BotInputSchema.parse({ name: 'Ada' }))
      bo = await createBot(tx, houseId, BotInputSchema.parse({ name: 'Bo' }))
    })
  })

  const make = (people: ActorId[], bots: ActorId[]): Promise<ThreadId> =>
    db.transaction((tx) => createThread(tx, mia, { title: '', people, bots }))
  const change = (threadId: ThreadId, patch: ThreadPatch): Promise<void> =>
    db.transaction((tx) => changeThread(tx, mia, { threadId, patch }))
  const stream = async (threadId: ThreadId): Promise<readonly Entry[]> =>
    (await readAfter(db, { houseId: mia.houseId, threadId }, { after: toOffset(0), limit: 100 }))
      .entries
  const modes = async (threadId: ThreadId) =>
    (await getThread(db, mia, threadId)).bots.map(({ name, mode }) => `${name} ${mode}`)
  const isDue = async (threadId: ThreadId): Promise<boolean> =>
    (await dueThreads(db, 1_000)).includes(threadId)

  test('one person with one bot begins with that bot on always, any other thread does not', async () => {
    expect(await modes(await make([], [ada]))).toEqual(['Ada always'])
    expect(await modes(await make([ben], [ada]))).toEqual(['Ada auto'])
    expect(await modes(await make([], [bo, ada]))).toEqual(['Bo auto', 'Ada auto'])
  })

  test('a direct talk begins with its parent agent on always, whoever else is in it', async () => {
    const talk = (id: ActorId) =>
      db.transaction((tx) =>
        createThread(tx, mia, {
          title: '',
          people: [ben],
          bots: [bo],
          parent: { kind: 'agent', id },
        }),
      )
    const threadId = await talk(ada)
    expect(await modes(threadId)).toEqual(['Ada always', 'Bo auto'])
    const [, bots] = await stream(threadId)
    expect(bots?.body).toEqual({
      added: [ada, bo],
      removed: [],
      modes: [{ bot: ada, mode: 'always' }],
    })
    await expect(talk(ben)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a second one who joins a conversation leaves the offer to switch the bot to auto', async () => {
    const offers = async (patch: ThreadPatch) => {
      const threadId = await make([], [ada])
      const before = (await getThread(db, mia, threadId)).offerAuto
      await change(threadId, patch)
      return [before, (await getThread(db, mia, threadId)).offerAuto]
    }
    expect(await offers({ addPeople: [ben] })).toEqual([false, true])
    expect(await offers({ addBots: [bo] })).toEqual([false, true])
    expect(await offers({ addBots: [bo], modes: [{ bot: ada, mode: 'auto' }] })).toEqual([
      false,
      false,
    ])
  })

  test('each change is one entry that wakes nobody, and what is so already makes none', async () => {
    const threadId = await make([], [ada])
    const before = (await stream(threadId)).length
    const patch: ThreadPatch = {
      title: 'Plans',
      addPeople: [ben],
      addBots: [bo],
      modes: [{ bot: bo, mode: 'mention' }],
      mutes: [{ bot: ada, muted: true }],
      limits: { perBot: 2, perThread: 4 },
      banter: true,
    }
    await change(threadId, patch)
    await change(threadId, { ...patch, modes: [] })
    const made = (await stream(threadId)).slice(before)
    expect(
      made.map(({ kind, body, wakes, readable }) => ({ kind, body, wakes, readable })),
    ).toEqual(
      [
        { kind: 'thread.title', body: { title: 'Plans' } },
        { kind: 'thread.people', body: { added: [ben], removed: [] } },
        {
          kind: 'thread.bots',
          body: { added: [bo], removed: [], modes: [{ bot: bo, mode: 'mention' }] },
        },
        { kind: 'thread.mute', body: { bot: ada, muted: true } },
        { kind: 'thread.limits', body: { perBot: 2, perThread: 4 } },
        { kind: 'thread.banter', body: { on: true } },
      ].map((entry) => ({ ...entry, wakes: false, readable: false })),
    )
    const thread = await getThread(db, mia, threadId)
    expect([thread.title, thread.limitPerBot, thread.limitPerThread, thread.banter]).toEqual([
      'Plans',
      2,
      4,
      true,
    ])
  })

  test.each<[string, (threadId: ThreadId) => ThreadPatch, boolean]>([
    ['a mode', () => ({ modes: [{ bot: ada, mode: 'auto' }] }), true],
    ['a bot that joins', () => ({ addBots: [bo] }), true],
    ['limits', () => ({ limits: { perBot: 9, perThread: 9 } }), true],
    ['a mute', () => ({ mutes: [{ bot: ada, muted: true }] }), false],
    ['a title', () => ({ title: 'New' }), false],
    ['a person who joins', () => ({ addPeople: [ben] }), false],
  ])('[L13] %s that changes leaves the thread due: %s', async (_, patch, due) => {
    const threadId = await make([], [ada])
    await change(threadId, patch(threadId))
    expect(await isDue(threadId)).toBe(due)
  })

  test('[L13] unmuting leaves the thread due', async () => {
    const threadId = await make([], [ada])
    await change(threadId, { mutes: [{ bot: ada, muted: true }] })
    expect(await isDue(threadId)).toBe(false)
    await change(threadId, { mutes: [{ bot: ada, muted: false }] })
    expect(await isDue(threadId)).toBe(true)
  })

  test('a mute for a time ends by itself, and its entry says when', async () => {
    const threadId = await make([], [ada])
    const seat = async () => {
      const [bot] = (await getThread(db, mia, threadId)).bots
      return [bot?.muted, bot?.mutedUntil]
    }
    await change(threadId, { mutes: [{ bot: ada, muted: true, minutes: 60 }] })
    const entry = (await stream(threadId)).at(-1)
    if (entry?.kind !== 'thread.mute') throw new Error('the mute left no entry')
    const { until = '' } = entry.body
    expect(entry.body).toEqual({ bot: ada, muted: true, until })
    const minutes = (Date.parse(until) - Date.parse(entry.createdAt)) / 60_000
    expect(Math.round(minutes)).toBe(60)
    expect(await seat()).toEqual([true, until])

    const past = new Date(Date.now() - 1_000).toISOString()
    await db.query('update thread_bots set muted_until = $2 where thread_id = $1', [threadId, past])
    expect(await seat()).toEqual([false, past])
    expect(await isDue(threadId)).toBe(false)
  })

  test('a mute changes when its end does, and one that is over is none', async () => {
    const threadId = await make([], [ada])
    const mutes = async (...patches: NonNullable<ThreadPatch['mutes']>) => {
      const before = (await stream(threadId)).length
      for (const mute of patches) await change(threadId, { mutes: [mute] })
      return (await stream(threadId))
        .slice(before)
        .map(({ body }) => ['muted' in body && body.muted, 'until' in body])
    }
    const forAnHour = { bot: ada, muted: true, minutes: 60 }
    const forGood = { bot: ada, muted: true }
    const over = { bot: ada, muted: false }
    expect(await mutes(forAnHour, forAnHour, forGood, forGood, over, over)).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [false, false],
    ])
    await change(threadId, { mutes: [forAnHour] })
    await db.query('update thread_bots set muted_until = added_at where thread_id = $1', [threadId])
    expect(await mutes(over)).toEqual([])
    expect(await mutes(forGood)).toEqual([[true, false]])
  })

  test('a mute voids what its bot was owed until then', async () => {
    const threadId = await make([], [ada])
    const head = (await stream(threadId)).length
    await change(threadId, { mutes: [{ bot: ada, muted: true }] })
    await change(threadId, { mutes: [{ bot: ada, muted: false }] })
    const [row] = await db.query<{ at: number }>(
      'select muted_at as at from thread_bots where thread_id = $1',
      [threadId],
    )
    expect(row).toEqual({ at: head })
  })

  test('a bot’s own mode reaches the threads that set none, and leaves only them due', async () => {
    const inherits = await make([ben], [bo])
    const overrides = await make([], [bo])
    await db.transaction((tx) =>
      editBot(tx, mia.houseId, { id: bo, patch: { triggerMode: 'never' } }),
    )
    expect([await modes(inherits), await modes(overrides)]).toEqual([['Bo never'], ['Bo always']])
    expect([await isDue(inherits), await isDue(overrides)]).toEqual([true, false])
    await db.transaction((tx) => editBot(tx, mia.houseId, { id: bo, patch: { triggerMode: null } }))
  })

  test('who leaves the house leaves every thread, and the threads say so', async () => {
    const [gone, bye] = await db.transaction(async (tx) => [
      (await addMember(tx, mia.houseId, { name: 'Gone', role: 'member' })).id as ActorId,
      await createBot(tx, mia.houseId, BotInputSchema.parse({ name: 'Bye' })),
    ])
    const threads = [await make([gone], [bye]), await make([gone, ben], [ada, bye])]
    await db.transaction(async (tx) => {
      await leaveThreads(tx, mia, { kind: 'person', id: gone })
      await removeMember(tx, mia.houseId, gone)
      await leaveThreads(tx, mia, { kind: 'bot', id: bye })
      await removeBot(tx, mia.houseId, bye)
    })
    for (const threadId of threads) {
      const last = (await stream(threadId)).slice(-2)
      expect(last.map(({ kind, body }) => [kind, body])).toEqual([
        ['thread.people', { added: [], removed: [gone] }],
        ['thread.bots', { added: [], removed: [bye], modes: [] }],
      ])
    }
  })

  test('threads are listed page by page, the last spoken in first, without gap or double', async () => {
    const all = await listThreads(db, mia, { limit: 1_000 })
    expect(all.length).toBeGreaterThan(7)
    const seen: string[] = []
    for (;;) {
      const last = all.find(({ id }) => id === seen.at(-1))
      const page = await listThreads(db, mia, { before: last, limit: 3 })
      if (page.length === 0) break
      seen.push(...page.map(({ id }) => id))
    }
    expect(seen).toEqual(all.map(({ id }) => id))
    expect(all.map(({ lastAt }) => lastAt)).toEqual(
      all
        .map(({ lastAt }) => lastAt)
        .toSorted()
        .toReversed(),
    )
  })
})
