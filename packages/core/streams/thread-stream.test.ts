import { beforeAll, expect, test } from 'vitest'
import { toActorId, toHouseId, toOffset, toThreadId } from '@arbe/sdk'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import type { EntryDraft } from './entry-draft.ts'
import { appendEntry, headOf, readAfter, type ThreadRef } from './thread-stream.ts'

eachEngine((open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
    await database.query(`insert into houses (id, name) values ('hse_1', 'House')`)
  })

  async function newThread(id: string): Promise<ThreadRef> {
    await database.query(
      `insert into threads (house_id, id, created_by) values ('hse_1', $1, 'usr_ann')`,
      [id],
    )
    return { houseId: toHouseId('hse_1'), threadId: toThreadId(id) }
  }

  function chat(thread: ThreadRef, key: string, text = 'hello'): EntryDraft {
    return {
      ...thread,
      key,
      kind: 'chat',
      authorId: toActorId('usr_ann'),
      authorKind: 'person',
      wakes: true,
      readable: true,
      body: { text },
    }
  }

  test('[I6] offsets stay dense and in order under sixteen writers', async () => {
    const thread = await newThread('thr_dense')
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let n = 0; n < 10; n++) await appendEntry(database, chat(thread, `${writer}:${n}`))
    })
    await Promise.all(writers)
    const { entries } = await readAfter(database, thread, { after: toOffset(0), limit: 1_000 })
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 160 }, (_, n) => n + 1))
    expect(await headOf(database, thread)).toBe(160)
  })
})
