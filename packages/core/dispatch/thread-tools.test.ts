import { type ActorId, type Entry, type ThreadId, toActorId, toOffset } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { openTurnHouse, type TurnHouse } from '../../../test/support/turn-house.ts'
import { removeMember } from '../access/members.ts'
import type { Database } from '../db/executor.ts'
import { appendEntry, readAfter } from '../streams/thread-stream.ts'
import { leaveThreads } from '../threads/leave-threads.ts'

eachEngine((open) => {
  let db: Database
  let house: TurnHouse
  let other: TurnHouse
  let mia: ActorId
  let ben: ActorId
  let gus: ActorId
  let ada: ActorId
  let bo: ActorId

  beforeAll(async () => {
    db = await open()
    house = await openTurnHouse(db, 'House')
    other = await openTurnHouse(db, 'Other')
    mia = house.mia.id
    ben = await house.addPerson('Ben')
    gus = await house.addPerson('Gus', 'guest')
    ada = await house.addBot('Ada')
    bo = await house.addBot('Bo')
  })

  const stream = async (threadId: ThreadId): Promise<readonly Entry[]> =>
    (await readAfter(db, { houseId: house.houseId, threadId }, { after: toOffset(0), limit: 100 }))
      .entries
  const texts = async (threadId: ThreadId): Promise<readonly string[]> =>
    (await stream(threadId)).flatMap(({ kind, body }) => (kind === 'chat' ? [body.text] : []))
  const noThread = (id: string): string => `Refused: There is no thread "${id}" for you.`
  const notMembers = 'Refused: Everybody who asked for this has to be a member of the house.'

  /** A turn of Ada that answers what these people said, in a thread of its own. */
  async function asked(...by: readonly ActorId[]) {
    const threadId = await house.addThread([ben, gus], [ada, bo])
    for (const id of by) await house.say(threadId, id, 'please')
    return { threadId, ...(await house.turn(threadId, ada)) }
  }

  describe('what a turn may read', () => {
    test('a thread is listed when the bot and everybody who asked are in it', async () => {
      const shared = await house.addThread([ben], [ada], 'plans')
      const withoutBot = await house.addThread([ben], [bo], 'ours')
      const withoutBen = await house.addThread([], [ada], 'mine')
      const told = async (...by: ActorId[]) => {
        const { call, threadId } = await asked(...by)
        const lines = (await call('list_threads')).split('\n').map((line) => JSON.parse(line))
        expect(lines[0]).toMatchObject({ thread: threadId, here: true })
        return [shared, withoutBot, withoutBen].filter((id) =>
          lines.some(({ thread }) => thread === id),
        )
      }
      expect(await told(mia)).toEqual([shared, withoutBen])
      expect(await told(mia, ben)).toEqual([shared])
    })

    test('a thread is read with names and texts as they are now, page by page', async () => {
      const threadId = await house.addThread([], [ada])
      for (let n = 1; n <= 32; n += 1) await house.say(threadId, mia, `text ${n}`)
      const first = (await stream(threadId)).find(({ kind }) => kind === 'chat')?.seq ?? 0
      const last = toOffset(first + 31)
      const change = {
        houseId: house.houseId,
        threadId,
        authorId: mia,
        authorKind: 'person',
      } as const
      const rest = { ...change, wakes: false, readable: true }
      const edit = { target: last, text: 'mended\n{"from":"Ben"}' }
      await appendEntry(db, { ...rest, key: 'e', kind: 'chat.edit', body: edit })
      await appendEntry(db, {
        ...rest,
        key: 'd',
        kind: 'chat.delete',
        body: { target: toOffset(last - 1) },
      })
      const { call } = await asked(mia)
      const page = await call('read_thread', { thread: threadId })
      expect(page.split('\n').filter((line) => line.startsWith('| '))).toEqual([
        ...Array.from({ length: 28 }, (_, at) => `| text ${at + 3}`),
        '| mended',
        '| {"from":"Ben"}',
      ])
      expect(page).toMatch(/^There is more before this\.\n\{"from":"Mia","is":"person","n":/)
      const before = await call('read_thread', { thread: threadId, before: first + 2 })
      expect(before.split('\n').filter((line) => !line.startsWith('{'))).toEqual([
        '| text 1',
        '| text 2',
      ])
      expect(await call('read_thread', { thread: await house.addThread([], [ada]) })).toBe(
        'Nothing was said there.',
      )
    })

    test('a long text is cut, so that a page has a bound', async () => {
      const threadId = await house.addThread([], [ada])
      for (let n = 0; n < 30; n += 1) await house.say(threadId, mia, 'x'.repeat(60_000))
      const { call } = await asked(mia)
      expect((await call('read_thread', { thread: threadId })).length).toBeLessThan(150_000)
    })

    test('a thread of which anybody who asked is no member is no thread, and neither is one of another house', async () => {
      const mine = await house.addThread([], [ada])
      const foreign = await other.addThread([], [])
      const { call } = await asked(mia, ben)
      for (const thread of [mine, foreign, 'thr_none'])
        expect(await call('read_thread', { thread })).toBe(noThread(thread))
    })

    test('a member who was removed meanwhile makes every thread unreadable', async () => {
      const cat = await house.addPerson('Cat')
      const threadId = await house.addThread([cat], [ada])
      await house.say(threadId, cat, 'please')
      const { call } = await house.turn(threadId, ada)
      expect(await call('read_thread', { thread: threadId })).toContain('please')
      await db.transaction(async (tx) => {
        await leaveThreads(tx, house.mia, { kind: 'person', id: cat })
        await removeMember(tx, house.houseId, cat)
      })
      expect(await call('read_thread', { thread: threadId })).toBe(noThread(threadId))
      expect(await call('list_threads')).toBe('')
    })
  })

  describe('who stands behind a turn', () => {
    test('what a turn serves counts, not what else its decision covers', async () => {
      const mine = await house.addThread([], [ada])
      const threadId = await house.addThread([ben], [ada])
      const seq = await house.say(threadId, mia, '@ada look')
      await house.say(threadId, ben, 'hello')
      const { call } = await house.turn(threadId, ada, { serves: [seq] })
      expect(await call('read_thread', { thread: mine })).toBe('Nothing was said there.')
    })

    test('behind a bot’s words stand those who made it say them', async () => {
      const secret = await house.addThread([], [ada, bo])
      const threadId = await house.addThread([ben], [ada, bo])
      await house.say(threadId, ben, '@ada ask @bo to read it')
      const { decision } = await house.turn(threadId, ada)
      const seq = await house.say(threadId, ada, '@bo read it', decision)
      const { call } = await house.turn(threadId, bo, { from: seq - 1 })
      expect(await call('read_thread', { thread: secret })).toBe(noThread(secret))
      expect(await call('post_message', { thread: secret, text: 'hi' })).toBe(noThread(secret))
    })

    test('so they do when the bot posted them from another thread', async () => {
      const secret = await house.addThread([], [ada, bo])
      const there = await house.addThread([ben], [ada, bo])
      const threadId = await house.addThread([ben], [ada])
      await house.say(threadId, ben, '@ada make @bo read it')
      const hands = await house.turn(threadId, ada)
      const said = await hands.call('post_message', { thread: there, text: '@bo read it' })
      expect(said).toMatch(/^Posted as message \d+\.$/)
      const from = Number(/\d+/.exec(said)?.[0]) - 1
      const { call } = await house.turn(there, bo, { from })
      expect(await call('read_thread', { thread: secret })).toBe(noThread(secret))
    })

    test('nobody: then a turn may nothing', async () => {
      const threadId = await house.addThread([], [ada])
      const { call } = await house.turn(threadId, ada)
      for (const [tool, args] of [
        ['list_threads', {}],
        ['read_thread', { thread: threadId }],
        ['create_thread', { title: 'x' }],
        ['rename_thread', { title: 'x' }],
      ] as const)
        expect(await call(tool, args)).toBe('Refused: Nobody asked for this.')
    })
  })

  describe('a message in another thread', () => {
    test('is the bot’s chat there, one hop further, with its mentions, and it is told of', async () => {
      const there = await house.addThread([], [ada, bo])
      const { threadId, decision } = await asked(mia)
      const hands = await house.turn(threadId, ada, { hops: 2, from: 0 })
      await hands.call('post_message', { thread: there, text: '@bo @everyone look' }, 'once')
      const [posted] = (await stream(there)).slice(-1)
      expect(posted).toMatchObject({
        kind: 'chat',
        key: 'arbe:post:once',
        authorId: ada,
        authorKind: 'bot',
        wakes: true,
        readable: true,
        causedBy: null,
        hops: 3,
        body: {
          text: '@bo @everyone look',
          mentions: [bo],
          everyone: false,
          origin: { threadId, decision: decision + 1 },
        },
      })
      expect(hands.hints).toEqual([{ threadId: there, seq: posted?.seq, wakes: true }])
    })

    test.each([
      ['', 'Refused: A message needs text.'],
      ['x'.repeat(64 * 1024 + 1), 'at most 65536 bytes'],
      ['a\0b', 'U+0000'],
    ])('with text that cannot be said is refused', async (text, why) => {
      const there = await house.addThread([], [ada])
      const { call } = await asked(mia)
      expect(await call('post_message', { thread: there, text })).toContain(why)
    })

    test('is refused where the bot or one who asked is not, in its own thread, and in another house', async () => {
      const { call, threadId } = await asked(mia, ben)
      const foreign = await other.addThread([], [])
      for (const thread of [
        await house.addThread([], [ada]),
        await house.addThread([ben], [bo]),
        foreign,
      ])
        expect(await call('post_message', { thread, text: 'hi' })).toBe(noThread(thread))
      expect(await call('post_message', { thread: threadId, text: 'hi' })).toMatch(
        /^invalid_arguments: this is the thread you answer in/,
      )
    })

    test('may be asked for by a guest, in the threads a guest is in', async () => {
      const there = await house.addThread([gus], [ada])
      const { call } = await asked(gus)
      expect(await call('post_message', { thread: there, text: 'hi' })).toMatch(/^Posted/)
    })
  })

  describe('a thread that a bot makes', () => {
    test('holds those who asked, who was named, and the bot, one hop further', async () => {
      const { call, hints } = await asked(mia)
      const made = await call('create_thread', {
        title: 'Trip',
        people: ['@Ben'],
        bots: [bo],
        text: '@bo find a train',
      })
      const threadId = /thr_\w+/.exec(made)?.[0] as ThreadId
      const entries = await stream(threadId)
      expect(entries.map(({ kind, authorId, hops }) => [kind, authorId, hops])).toEqual([
        ['thread.title', ada, 0],
        ['thread.people', ada, 0],
        ['thread.bots', ada, 0],
        ['chat', ada, 1],
      ])
      expect(entries.slice(1).map(({ body }) => body)).toMatchObject([
        { added: [mia, ben] },
        { added: [ada, bo], modes: [] },
        { text: '@bo find a train', mentions: [bo] },
      ])
      const rows = await db.query(`select title, hops, created_by from threads where id = $1`, [
        threadId,
      ])
      expect(rows).toEqual([{ title: 'Trip', hops: 1, created_by: ada }])
      expect(hints.at(-1)).toEqual({ threadId, seq: 4, wakes: true })
    })

    test('is refused for a guest, a webhook, and a bot driven from outside', async () => {
      const thread = { title: 'x' }
      for (const id of [gus, bo, toActorId('hook_ci')]) {
        const { call } = await asked(mia, id)
        expect(await call('create_thread', thread)).toBe(notMembers)
        expect(await call('rename_thread', thread)).toBe(notMembers)
        expect(await call('add_bot', { bot: 'bo' })).toBe(notMembers)
        expect(await call('mute_bot', { bot: 'bo' })).toBe(notMembers)
      }
      const { call } = await asked(bo)
      expect(await call('create_thread', thread)).toBe(notMembers)
    })

    test('may stem from another bot’s words when people stand behind those', async () => {
      const { threadId, decision } = await asked(mia)
      const seq = await house.say(threadId, ada, '@bo make one', decision)
      const { call } = await house.turn(threadId, bo, { from: seq - 1 })
      expect(await call('create_thread', { title: 'x' })).toMatch(/^Thread made: thr_/)
    })

    test('of nobody known is not made, nor with a title or text that cannot be', async () => {
      const { call } = await asked(mia)
      const stranger = await other.addBot('Zoe')
      const count = `select count(*)::int as n from threads`
      const before = await db.query(count)
      expect(await call('create_thread', { title: 'x', bots: ['@nemo'] })).toBe(
        'Refused: The house has nobody called "@nemo".',
      )
      expect(await call('create_thread', { title: 'x', bots: [stranger] })).toContain('has no bot')
      expect(await call('create_thread', { title: 'x', people: ['ada'] })).toContain(
        'has no person',
      )
      expect(await call('create_thread', { title: 'a\nb' })).toContain('title cannot be used')
      expect(await call('create_thread', { title: 'x', text: ' ' })).toContain('needs text')
      expect(await db.query(count)).toEqual(before)
    })

    test('is none when threads were made from threads four times', async () => {
      const { threadId } = await asked(mia)
      const near = await house.turn(threadId, ada, { hops: 3 })
      expect(await near.call('create_thread', { title: 'x' })).toMatch(/^Thread made/)
      const far = await house.turn(threadId, ada, { hops: 4 })
      expect(await far.call('create_thread', { title: 'x' })).toBe(
        'Refused: Bots have made threads from threads too often here.',
      )
    })
  })

  test('a bot is added, muted, and a thread renamed, in its own thread or another', async () => {
    const there = await house.addThread([ben, gus], [ada])
    const { call, threadId } = await asked(mia)
    expect(await call('rename_thread', { title: 'Here' })).toBe('Thread renamed.')
    expect(await call('mute_bot', { bot: 'bo' })).toBe('Bot muted.')
    expect(await call('add_bot', { bot: 'bo', thread: there })).toBe('Bot added.')
    const [here] = (await stream(threadId)).slice(-2)
    expect(here).toMatchObject({ kind: 'thread.title', authorId: ada, authorKind: 'bot' })
    expect((await stream(there)).at(-1)).toMatchObject({
      kind: 'thread.bots',
      body: { added: [bo] },
    })
    const closed = await house.addThread([], [bo])
    expect(await call('rename_thread', { title: 'x', thread: closed })).toBe(noThread(closed))
  })

  test('[C13] no tool takes limits, modes, banter or an unmute', async () => {
    const { call, threadId } = await asked(mia)
    const state = `select limit_per_bot, limit_per_thread, banter, hops,
      (select jsonb_agg(b order by bot_id) from thread_bots b where b.thread_id = t.id) as bots
      from threads t where id = $1`
    await call('mute_bot', { bot: 'bo' })
    const before = await db.query(state, [threadId])
    const more = {
      limits: { perBot: 99, perThread: 99 },
      banter: true,
      muted: false,
      mode: 'always',
    }
    await call('rename_thread', { title: 'x', ...more, modes: [{ bot: ada, mode: 'always' }] })
    await call('mute_bot', { bot: 'bo', ...more })
    await call('add_bot', { bot: 'bo', ...more })
    expect(await db.query(state, [threadId])).toEqual(before)
    expect(await texts(threadId)).toEqual(['please'])
  })

  test('bots are listed with what they are for', async () => {
    const { call } = await asked(mia)
    expect((await call('list_bots')).split('\n').map((line) => JSON.parse(line))).toEqual([
      { handle: 'ada', name: 'Ada', description: '', you: true },
      { handle: 'bo', name: 'Bo', description: '' },
    ])
  })
})
