import { NO_USAGE, toActorId, toHouseId, toOffset, toThreadId, type Offset } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'
import { decisionBody } from '../../../test/support/decision-body.ts'
import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import type { EntryDraft } from './entry-draft.ts'
import { type ContextRange, readContext } from './read-context.ts'
import { appendEntry } from './thread-stream.ts'

const ann = toActorId('agt_ann')
const coder = toActorId('agt_coder')
const houseId = toHouseId('hse_1')

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
    await db.query(`insert into houses (id, name) values ('hse_1', 'House')`)
  })

  test('[I10] a bot reads the conversation and its own turns, no signal of others and no work of others', async () => {
    const thread = await newThread('thr_own')
    const asked = await thread.chat('hello')
    await thread.turn(1, ann)
    await thread.turn(2, coder)
    const deleted = await thread.chat('secret')
    await thread.add({ kind: 'chat.delete', body: { target: deleted } })
    await thread.add({ kind: 'thread.ask', body: { bot: ann } })
    await thread.add({ kind: 'thread.title', body: { title: 'New' }, readable: false })
    expect(await thread.read({ limit: 100 })).toEqual({
      after: 0,
      read: [
        `${asked} chat`,
        '2 signal.thread_director.decision',
        '3 pi.assistant',
        '4 pi.tool_result',
        '8 chat',
        '9 chat.delete',
        '10 thread.ask',
      ],
    })
  })

  test('nothing past `seen` is read', async () => {
    const thread = await newThread('thr_seen')
    const seen = await thread.chat('hello')
    await thread.chat('late')
    await thread.turn(1, ann)
    expect(await thread.read({ limit: 100, seen })).toEqual({ after: 0, read: ['1 chat'] })
  })

  test('[I12] only the last entries are read, and it says behind which offset they are whole', async () => {
    const thread = await newThread('thr_bound')
    for (let n = 0; n < 10; n += 1) await thread.chat(String(n))
    expect(await thread.read({ limit: 3 })).toEqual({
      after: 7,
      read: ['8 chat', '9 chat', '10 chat'],
    })
  })

  test('what the turn answers is read however far back it stands, with what was made of it', async () => {
    const thread = await newThread('thr_owed')
    const owed = await thread.chat('owed')
    await thread.chat('passed by')
    const unread = await thread.chat('unread')
    await thread.add({ kind: 'chat.delete', body: { target: owed }, wakes: false })
    for (let n = 0; n < 5; n += 1)
      await thread.add({ kind: 'chat', body: { text: 'x' }, wakes: false })
    expect(await thread.read({ limit: 2, from: toOffset(2), owed: [owed] })).toEqual({
      after: 7,
      read: ['1 chat', `${unread} chat`, '4 chat.delete', '8 chat', '9 chat'],
    })
  })

  test('of turns too large for any request the last are read, each whole', async () => {
    const thread = await newThread('thr_large')
    for (let d = 1; d <= 3; d += 1) await thread.turn(d, ann, noise(600_000))
    const { read } = await thread.read({ limit: 100 })
    expect(read.filter((entry) => entry.includes('pi.'))).toEqual([
      '8 pi.assistant',
      '9 pi.tool_result',
    ])
  })

  async function newThread(id: string) {
    await db.query(
      `insert into threads (house_id, id, created_by) values ('hse_1', $1, 'usr_mia')`,
      [id],
    )
    const threadId = toThreadId(id)
    let made = 0

    async function add(
      entry: Pick<EntryDraft, 'kind' | 'body'> & Partial<EntryDraft>,
    ): Promise<Offset> {
      made += 1
      const draft = {
        houseId,
        threadId,
        key: `pat:test:${made}`,
        authorId: toActorId('usr_mia'),
        authorKind: 'person',
        wakes: true,
        readable: true,
        ...entry,
      }
      const appended = await appendEntry(db, draft as EntryDraft)
      if (appended.status !== 'ok') throw new Error(appended.status)
      return appended.seq
    }

    const own = { wakes: false, readable: false, authorKind: 'bot' } as const

    return {
      add,
      chat: (text: string) => add({ kind: 'chat', body: { text } }),
      async turn(d: number, bot: typeof ann, text = 'done') {
        await add({
          ...own,
          kind: 'signal.thread_director.decision',
          authorId: toActorId('director'),
          authorKind: 'director',
          body: decisionBody({ d, to: toOffset(0), seen: toOffset(0), speaker: bot }),
        })
        const message = { role: 'assistant', content: [], usage: NO_USAGE }
        await add({
          ...own,
          kind: 'pi.assistant',
          authorId: bot,
          causedBy: d,
          body: { decision: d, round: 0, ms: 0, message },
        } as Parameters<typeof add>[0])
        await add({
          ...own,
          kind: 'pi.tool_result',
          authorId: bot,
          causedBy: d,
          body: {
            decision: d,
            round: 0,
            index: 0,
            callId: '',
            tool: 't',
            text,
            isError: false,
            ms: 0,
          },
        })
      },
      async read(range: Partial<ContextRange>) {
        const { entries, after } = await readContext(db, {
          houseId,
          threadId,
          botId: ann,
          from: toOffset(made),
          seen: toOffset(made),
          owed: [],
          limit: 100,
          ...range,
        })
        return { after, read: entries.map(({ seq, kind }) => `${seq} ${kind}`) }
      },
    }
  }
})

/** Text that does not compress. */
function noise(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 94))
  }).join('')
}
