import { type Entry, type EntryOf, type HouseId, type ThreadId, toOffset } from '@arbe/sdk'
import { type ImportMessage, BotInputSchema } from '@arbe/sdk/api'
import { beforeAll, beforeEach, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { PersonActor } from '../access/authorship.ts'
import { createHouse } from '../access/houses.ts'
import { createBot } from '../bots/bots.ts'
import type { Database } from '../db/executor.ts'
import { appendEntry, readAfter } from '../streams/thread-stream.ts'
import { type MessageDoor, appendMessage } from './append-message.ts'
import { createThread } from './create-thread.ts'
import { importMessages } from './import-messages.ts'
import { listThreads } from './threads.ts'

const said = (id: string, text: string, more: Partial<ImportMessage> = {}): ImportMessage => ({
  via: { bridge: 'slack', id, name: 'Alice' },
  text,
  saidAt: '2020-05-05T07:05:05+02:00',
  ...more,
})

eachEngine((open) => {
  let db: Database
  let door: MessageDoor
  let mia: PersonActor
  let threadId: ThreadId
  beforeAll(async () => {
    db = await open()
    door = { db, append: (draft) => appendEntry(db, draft), stop: async () => {} }
  })
  beforeEach(async () => {
    await db.transaction(async (tx) => {
      const names = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
      const { houseId, ownerId } = await createHouse(tx, names)
      mia = owner(houseId, ownerId)
      const ada = await createBot(tx, houseId, BotInputSchema.parse({ name: 'Ada' }))
      threadId = await createThread(tx, mia, { title: '', people: [], bots: [ada] })
    })
  })

  const owner = (houseId: HouseId, id: PersonActor['id']): PersonActor => ({
    kind: 'person',
    tokenKind: 'pat',
    tokenHash: '',
    role: 'owner',
    houseId,
    id,
  })
  const bring = async (...messages: ImportMessage[]) =>
    (await importMessages(db, mia, { threadId, messages })).results
  const say = (text: string, more: object = {}, key = text) =>
    appendMessage(door, mia, { threadId, clientKey: key, input: { kind: 'chat', text, ...more } })
  const entries = async (): Promise<readonly Entry[]> =>
    (await readAfter(db, { houseId: mia.houseId, threadId }, { after: toOffset(0), limit: 500 }))
      .entries
  const chats = async (): Promise<readonly EntryOf<'chat'>[]> =>
    (await entries()).filter((entry) => entry.kind === 'chat')
  const newsTo = async () => (await listThreads(db, mia, { limit: 1 }))[0]?.newsTo
  const isDue = async () =>
    (await db.query('select 1 from dispatch where key = $1', [`thread:${threadId}`])).length > 0

  test('[L12] an imported message is read, dated by when it was said, names nobody and wakes nobody', async () => {
    expect(await bring(said('1', '@ada and @everyone, hello'))).toEqual([{ seq: 3, status: 'new' }])
    expect((await entries()).at(-1)).toMatchObject({
      authorId: mia.id,
      authorKind: 'person',
      wakes: false,
      readable: true,
      body: {
        text: '@ada and @everyone, hello',
        mentions: [],
        everyone: false,
        via: { bridge: 'slack', id: '1', name: 'Alice' },
        saidAt: '2020-05-05T05:05:05.000Z',
      },
    })
    expect(await isDue()).toBe(false)
  })

  test('[D5] a message that stands there is not imported again, and one with other words is left as it is', async () => {
    await bring(said('1', 'one'), said('2', 'two'))
    expect(
      await bring(said('0', 'none'), said('1', 'one'), said('2', 'zwei'), said('0', 'none')),
    ).toEqual([
      { seq: 5, status: 'new' },
      { seq: 3, status: 'duplicate' },
      { seq: 4, status: 'differs' },
      { seq: 5, status: 'duplicate' },
    ])
    expect((await chats()).map(({ body }) => body.text)).toEqual(['one', 'two', 'none'])
  })

  test('[D5] what the bridge brought as it came is not imported again, nor the other way round', async () => {
    const { via } = said('1', 'hi')
    await say('hi', { via })
    expect(await bring(said('1', 'hi'), said('2', 'ho'))).toEqual([
      { seq: 3, status: 'duplicate' },
      { seq: 4, status: 'new' },
    ])
    const again = await say('ho', { via: said('2', 'ho').via })
    expect(again).toEqual({ seq: 4, duplicate: true })
  })

  test('replies find what they answer in the thread and in the batch, and answer nothing elsewhere', async () => {
    const answers = (id: string) => ({ replyTo: { bridge: 'slack', id } })
    await bring(said('1', 'one'))
    await bring(
      said('2', 'two', answers('1')),
      said('3', 'three', answers('2')),
      said('4', 'four', answers('none')),
    )
    expect((await chats()).map(({ seq, body }) => [seq, body.replyTo])).toEqual([
      [3, undefined],
      [4, 3],
      [5, 4],
      [6, undefined],
    ])
  })

  test('two imports at once and a message between them each get an offset of their own', async () => {
    const batch = (from: string) =>
      Array.from({ length: 50 }, (_, at) => said(`${from}.${at}`, `${from} ${at}`))
    const [a, b] = await Promise.all([bring(...batch('a')), bring(...batch('b')), say('between')])
    expect(new Set([...a, ...b].map(({ seq }) => seq)).size).toBe(100)
    const texts = new Map((await chats()).map(({ seq, body }) => [Number(seq), body.text]))
    expect([texts.size, texts.get(a[7]?.seq ?? 0), texts.get(b[7]?.seq ?? 0)]).toEqual([
      101,
      'a 7',
      'b 7',
    ])
  })

  test('a batch with one message that cannot be taken changes nothing, and the refusal names it', async () => {
    const refused = bring(said('1', 'one'), said('2', ' '))
    await expect(refused).rejects.toThrow('The message 2 of slack needs text.')
    expect(await chats()).toEqual([])
  })

  test('an import is news to nobody until something is said after it', async () => {
    await say('hello')
    await bring(said('1', 'one'))
    await bring(said('2', 'two'))
    expect(await newsTo()).toBe(3)
    await say('new')
    expect(await newsTo()).toBe(6)
    await bring(said('3', 'three'))
    expect(await newsTo()).toBe(6)
  })

  test('mending an imported message calls nobody', async () => {
    const [{ seq } = { seq: 0 }] = await bring(said('1', '@ada helo'))
    const input = { kind: 'chat.edit', target: seq, text: '@ada hello' } as const
    await appendMessage(door, mia, { threadId, clientKey: 'edit', input })
    expect((await entries()).at(-1)).toMatchObject({
      kind: 'chat.edit',
      wakes: false,
      body: { text: '@ada hello', mentions: [], everyone: false, added: [] },
    })
    expect(await isDue()).toBe(false)
  })
})
