import { type ActorId, type Entry, type ThreadId, toOffset } from '@arbe/sdk'
import { type AppendInput, BotInputSchema } from '@arbe/sdk/api'
import { beforeAll, describe, expect, test } from 'vitest'

import { decisionBody } from '../../../test/support/decision-body.ts'
import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Actor, PersonActor } from '../access/authorship.ts'
import { createHouse } from '../access/houses.ts'
import { addMember } from '../access/members.ts'
import { Refused } from '../access/refused.ts'
import { createBot, editBot } from '../bots/bots.ts'
import type { Database } from '../db/executor.ts'
import { dueThreads } from '../jobs/dispatch-queue.ts'
import { appendEntry, readAfter } from '../streams/thread-stream.ts'
import { type MessageDoor, type Posted, appendMessage } from './append-message.ts'
import { changeThread } from './change-thread.ts'
import { createThread } from './create-thread.ts'

interface Room {
  readonly threadId: ThreadId
  readonly mia: PersonActor
  readonly ben: PersonActor
  readonly ada: ActorId
  readonly bo: ActorId
}

let keys = 0
const nextKey = (): string => `key ${(keys += 1)}`

eachEngine((open) => {
  let db: Database
  let door: MessageDoor
  beforeAll(async () => {
    db = await open()
    door = { db, append: (draft) => appendEntry(db, draft), stop: async () => {} }
  })

  const openRoom = (): Promise<Room> =>
    db.transaction(async (tx) => {
      const { houseId, ownerId } = await createHouse(tx, {
        name: 'House',
        ownerName: 'Mia',
        ownerHandle: 'mia',
      })
      const person = (id: string, role: PersonActor['role']): PersonActor => ({
        kind: 'person',
        tokenKind: 'ses',
        tokenHash: id,
        houseId,
        role,
        id: id as ActorId,
      })
      const mia = person(ownerId, 'owner')
      const ben = person(
        (await addMember(tx, houseId, { name: 'Ben', role: 'member' })).id,
        'member',
      )
      const bot = (name: string) => createBot(tx, houseId, BotInputSchema.parse({ name }))
      const [ada, bo] = [await bot('Ada'), await bot('Bo')]
      const draft = { title: '', people: [ben.id], bots: [ada, bo] }
      return { threadId: await createThread(tx, mia, draft), mia, ben, ada, bo }
    })

  const post = (
    { threadId }: Room,
    author: Actor,
    input: AppendInput,
    clientKey: string = nextKey(),
  ): Promise<Posted> => appendMessage(door, author, { threadId, clientKey, input })

  const refusal = async (asked: Promise<unknown>): Promise<string> => {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return error instanceof Refused ? error.code : `not refused: ${String(error)}`
  }

  async function entryAt({ threadId, mia }: Room, seq: number): Promise<Entry | undefined> {
    const thread = { threadId, houseId: mia.houseId }
    const { entries } = await readAfter(db, thread, { after: toOffset(seq - 1), limit: 1 })
    return entries[0]
  }

  test('a message names whom its text names, each once, and wakes its thread', async () => {
    const room = await openRoom()
    const text = '@Bo and @ben, not `@ada`, and again @bo'
    const { seq } = await post(room, room.mia, { kind: 'chat', text })
    const entry = await entryAt(room, seq)
    expect(entry).toMatchObject({
      kind: 'chat',
      authorId: room.mia.id,
      authorKind: 'person',
      wakes: true,
      readable: true,
      body: {
        text,
        mentions: [room.bo, room.ben.id],
        everyone: false,
        names: [
          { id: room.bo, handle: 'bo' },
          { id: room.ben.id, handle: 'ben' },
        ],
      },
    })
    expect(await dueThreads(db, 100)).toContain(room.threadId)
  })

  describe('edits', () => {
    test('[B13] an edit wakes for the bots it names anew, and for nobody else', async () => {
      const room = await openRoom()
      const { seq: target } = await post(room, room.mia, { kind: 'chat', text: '@ada helo' })
      const edit = async (text: string) => {
        const { seq } = await post(room, room.mia, { kind: 'chat.edit', target, text })
        const entry = await entryAt(room, seq)
        return entry?.kind === 'chat.edit' ? [entry.wakes, entry.body.added] : entry
      }
      expect(await edit('@ada hello')).toEqual([false, []])
      expect(await edit('@ada @ben hello')).toEqual([false, []])
      expect(await edit('@ada @bo hello')).toEqual([true, [room.bo]])
      expect(await edit('@ada @bo hello!')).toEqual([false, []])
      expect(await edit('@bo hello')).toEqual([false, []])
      expect(await edit('@everyone hello')).toEqual([true, [room.ada]])
    })

    test.each([true, false])(
      '[B15] an edit after a rename adds no mention and drops none (names kept: %s)',
      async (kept) => {
        const room = await openRoom()
        const { seq: target } = await post(room, room.mia, { kind: 'chat', text: '@bo helo' })
        if (!kept)
          await db.query(`update entries set body = body - 'names' where thread_id = $1`, [
            room.threadId,
          ])
        await editBot(db, room.mia.houseId, { id: room.bo, patch: { handle: 'boris' } })
        const edit = async (text: string) => {
          const { seq } = await post(room, room.mia, { kind: 'chat.edit', target, text })
          const entry = await entryAt(room, seq)
          return entry?.kind === 'chat.edit'
            ? [entry.wakes, entry.body.added, entry.body.mentions]
            : entry
        }
        expect(await edit('@bo hello')).toEqual([false, [], [room.bo]])
        expect(await edit('@boris hello')).toEqual([false, [], [room.bo]])
        expect(await edit('hello')).toEqual([false, [], []])
        expect(await edit('@bo hello')).toEqual([false, [], []])
      },
    )

    test('[S-05] only its author edits a message, an admin neither', async () => {
      const room = await openRoom()
      const { seq: target } = await post(room, room.ben, { kind: 'chat', text: 'mine' })
      const edit = { kind: 'chat.edit', target, text: 'yours' } as const
      expect(await refusal(post(room, room.mia, edit))).toBe('forbidden')
    })

    test('what is deleted, or no message, is edited and deleted no more', async () => {
      const room = await openRoom()
      const { seq: target } = await post(room, room.mia, { kind: 'chat', text: 'gone' })
      await post(room, room.mia, { kind: 'chat.delete', target })
      expect(await refusal(post(room, room.mia, { kind: 'chat.edit', target, text: 'x' }))).toBe(
        'not_found',
      )
      expect(await refusal(post(room, room.mia, { kind: 'chat.delete', target }))).toBe('not_found')
      expect(await refusal(post(room, room.mia, { kind: 'chat.delete', target: 1 }))).toBe(
        'not_found',
      )
    })
  })

  describe('deletions', () => {
    const botSays = (room: Room, causedBy: number, key: string) =>
      appendEntry(db, {
        houseId: room.mia.houseId,
        threadId: room.threadId,
        key,
        kind: 'chat',
        authorId: room.ada,
        authorKind: 'bot',
        wakes: true,
        readable: true,
        causedBy,
        body: { text: 'done' },
      })
    const decides = (room: Room, d: number, range: { from: number; to: number }) =>
      appendEntry(db, {
        houseId: room.mia.houseId,
        threadId: room.threadId,
        key: `arbe:decision:${d}`,
        kind: 'signal.thread_director.decision',
        authorId: 'director' as ActorId,
        authorKind: 'director',
        wakes: false,
        readable: false,
        body: decisionBody({
          d,
          from: toOffset(range.from),
          to: toOffset(range.to),
          seen: toOffset(range.to),
          rule: 'mention',
          speaker: room.ada,
        }),
      })

    test('[S-05] one deletes one’s own, an admin any, a member not another’s', async () => {
      const room = await openRoom()
      const { seq: bens } = await post(room, room.ben, { kind: 'chat', text: 'a' })
      const { seq: mias } = await post(room, room.mia, { kind: 'chat', text: 'b' })
      expect(await refusal(post(room, room.ben, { kind: 'chat.delete', target: mias }))).toBe(
        'forbidden',
      )
      await post(room, room.mia, { kind: 'chat.delete', target: bens })
      await post(room, room.mia, { kind: 'chat.delete', target: mias })
    })

    test('a bot’s message is deleted by who caused it, and by no other member', async () => {
      const room = await openRoom()
      const { seq: bens } = await post(room, room.ben, { kind: 'chat', text: '@ada' })
      await decides(room, 1, { from: 0, to: bens })
      const first = await botSays(room, 1, 'arbe:reply:1')
      const { seq: mias } = await post(room, room.mia, { kind: 'chat', text: '@ada' })
      await decides(room, 2, { from: bens, to: mias })
      const second = await botSays(room, 2, 'arbe:reply:2')
      if (first.status !== 'ok' || second.status !== 'ok') throw new Error('nothing was said')
      await post(room, room.ben, { kind: 'chat.delete', target: first.seq })
      expect(await refusal(post(room, room.ben, { kind: 'chat.delete', target: second.seq }))).toBe(
        'forbidden',
      )
    })
  })

  describe('keys', () => {
    const chat = (text: string): AppendInput => ({ kind: 'chat', text })

    test('[R-02] a key that comes again answers with its entry, or with a conflict for other words', async () => {
      const room = await openRoom()
      const first = await post(room, room.mia, chat('once'), 'k')
      expect(await post(room, room.mia, chat('once'), 'k')).toEqual({
        seq: first.seq,
        duplicate: true,
      })
      expect(await refusal(post(room, room.mia, chat('twice'), 'k'))).toBe('key_conflict')
      const reply = { kind: 'chat', text: 'once', replyTo: first.seq } as const
      expect(await refusal(post(room, room.mia, reply, 'k'))).toBe('key_conflict')
    })

    test('a key comes again although the thread’s bots are others now', async () => {
      const room = await openRoom()
      const first = await post(room, room.mia, chat('@bo hello'), 'k')
      await db.transaction((tx) =>
        changeThread(tx, room.mia, { threadId: room.threadId, patch: { removeBots: [room.bo] } }),
      )
      expect(await post(room, room.mia, chat('@bo hello'), 'k')).toEqual({
        seq: first.seq,
        duplicate: true,
      })
    })

    test('[L8] nobody’s key is another’s, nor the director’s', async () => {
      const room = await openRoom()
      const mine = await post(room, room.mia, chat('mine'), 'decision:7')
      const yours = await post(room, room.ben, chat('yours'), 'decision:7')
      expect(yours).toEqual({ seq: mine.seq + 1, duplicate: false })
      const stolen = await post(room, room.ben, chat('stolen'), `ses:${room.mia.id}:decision:7`)
      expect(stolen.duplicate).toBe(false)
      const stored = await Promise.all([mine, yours].map(({ seq }) => entryAt(room, seq)))
      expect(stored.map((entry) => entry?.key)).toEqual([
        `ses:${room.mia.id}:decision:7`,
        `ses:${room.ben.id}:decision:7`,
      ])
    })

    test('[R-02] of two at once with one key and other words, one is refused', async () => {
      const room = await openRoom()
      const both = await Promise.all([
        refusal(post(room, room.mia, chat('a'), 'k')),
        refusal(post(room, room.mia, chat('b'), 'k')),
      ])
      expect(both.filter((code) => code === 'key_conflict')).toHaveLength(1)
    })

    test('[R-01] of two alike that overtake each other at two servers, both answer with the one entry', async () => {
      const room = await openRoom()
      const said = async (text: string): Promise<Posted> =>
        await post(room, room.mia, { kind: 'chat', text })
      const [edited, deleted, asked] = [await said('hello'), await said('bye'), await said('@bo')]
      const answers: (readonly Posted[])[] = []
      for (const input of [
        { kind: 'chat.edit', target: edited.seq, text: '@ada hello' },
        { kind: 'chat.delete', target: deleted.seq },
        { kind: 'chat', text: 'why?', replyTo: asked.seq },
      ] as const) {
        const clientKey = nextKey()
        const message = { threadId: room.threadId, clientKey, input }
        let other: Posted | undefined
        // The other one comes through after this one has looked for the key, and before it has read what it changes.
        const query: Database['query'] = async (sql, params) => {
          const rows = await db.query<never>(sql, params)
          other ??= await appendMessage(door, room.mia, message)
          return rows
        }
        const posted = await appendMessage({ ...door, db: { query } }, room.mia, message)
        answers.push([posted, ...(other === undefined ? [] : [other])])
      }
      expect(answers).toEqual(
        [1, 2, 3]
          .map((n) => asked.seq + n)
          .map((seq) => [
            { seq, duplicate: true },
            { seq, duplicate: false },
          ]),
      )
    })
  })

  describe('what a bridge carries', () => {
    const over = (id: string, text = 'hi', name = 'Alice') =>
      ({ kind: 'chat', text, via: { bridge: 'slack', id, name } }) as const
    const seqs = (posted: readonly Posted[]) => new Set(posted.map(({ seq }) => seq))

    test('[D5] the same external id twice is one entry, whatever the key and the kind of token', async () => {
      const room = await openRoom()
      const first = await post(room, room.mia, over('171.2'))
      const token = { ...room.mia, tokenKind: 'pat' } as const
      const again = await post(room, token, over('171.2', 'hi', 'Alice Liddell'))
      expect([first.duplicate, again]).toEqual([false, { seq: first.seq, duplicate: true }])
      expect(await entryAt(room, first.seq)).toMatchObject({
        authorId: room.mia.id,
        wakes: true,
        body: { text: 'hi', via: { bridge: 'slack', id: '171.2', name: 'Alice' } },
      })
    })

    test('[D5] of two at once with one external id, one is written', async () => {
      const room = await openRoom()
      const posted = await Promise.all([1, 2].map(() => post(room, room.mia, over('1'))))
      expect(seqs(posted).size).toBe(1)
      expect(posted.filter(({ duplicate }) => duplicate)).toHaveLength(1)
    })

    test('[D5] other words under the same external id are a conflict', async () => {
      const room = await openRoom()
      await post(room, room.mia, over('1'))
      expect(await refusal(post(room, room.mia, over('1', 'ho')))).toBe('key_conflict')
    })

    test('[D5] an external id is its author’s and its bridge’s alone, and no client key meets it', async () => {
      const room = await openRoom()
      const matrix = { ...over('1'), via: { bridge: 'matrix', id: '1' } }
      const plain = { kind: 'chat', text: 'hi' } as const
      const posted = [
        await post(room, room.mia, over('1')),
        await post(room, room.mia, matrix),
        await post(room, room.ben, over('1')),
        await post(room, room.mia, plain, `via:${room.mia.id}:slack:1`),
      ]
      expect(seqs(posted).size).toBe(4)
    })
  })

  test('a bot driven from outside writes messages and nothing else, and cannot be asked', async () => {
    const room = await openRoom()
    await db.query(`update agents set external = true where id = $1`, [room.ada])
    const ada: Actor = {
      kind: 'bot',
      tokenKind: 'bot',
      tokenHash: '',
      houseId: room.mia.houseId,
      id: room.ada,
    }
    const { seq } = await post(room, ada, { kind: 'chat', text: 'hello @bo, @everyone' })
    expect(await entryAt(room, seq)).toMatchObject({
      authorId: room.ada,
      authorKind: 'bot',
      body: { mentions: [room.bo], everyone: false },
    })
    const edit = { kind: 'chat.edit', target: seq, text: '@everyone' } as const
    expect(await entryAt(room, (await post(room, ada, edit)).seq)).toMatchObject({
      wakes: false,
      body: { added: [] },
    })
    for (const kind of ['thread.continue', 'thread.stop'] as const)
      expect(await refusal(post(room, ada, { kind }))).toBe('forbidden')
    expect(await refusal(post(room, room.mia, { kind: 'thread.ask', bot: room.ada }))).toBe(
      'bot_unavailable',
    )
  })

  test('a stop that ends a turn answers with the entry which says so, also when it comes again', async () => {
    const room = await openRoom()
    const { threadId, mia } = room
    // As the director does it: the entry says which turn it ended, which the person did not.
    const stop: MessageDoor['stop'] = async ({ authorId, key }) => {
      const entry = { houseId: mia.houseId, threadId, key, authorId, authorKind: 'person' } as const
      const body = { decision: 7 }
      const said = { kind: 'thread.stop', wakes: false, readable: false, body } as const
      await appendEntry(db, { ...entry, ...said })
    }
    const press = (): Promise<Posted> =>
      appendMessage({ ...door, stop }, mia, {
        threadId,
        clientKey: 'k',
        input: { kind: 'thread.stop' },
      })
    const first = await press()
    expect(first.duplicate).toBe(false)
    expect(await entryAt(room, first.seq)).toMatchObject({
      kind: 'thread.stop',
      body: { decision: 7 },
    })
    expect(await press()).toEqual({ seq: first.seq, duplicate: true })
  })

  test('who is not in the thread finds none', async () => {
    const [room, other] = [await openRoom(), await openRoom()]
    expect(await refusal(post(room, other.mia, { kind: 'chat', text: 'hi' }))).toBe('not_found')
    const patch = { title: 'mine' }
    const change = db.transaction((tx) =>
      changeThread(tx, other.mia, { threadId: room.threadId, patch }),
    )
    expect(await refusal(change)).toBe('not_found')
  })
})
