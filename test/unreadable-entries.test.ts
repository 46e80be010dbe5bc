import type { Entry, ThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../apps/backstage/src/config.ts'
import { startBackstage } from '../apps/backstage/src/start-backstage.ts'
import type { Database } from '../packages/core/db/executor.ts'
import { entryColumns } from '../packages/core/streams/entry-row.ts'
import { openLiveBus } from '../packages/core/streams/live-bus.ts'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { type ArrangedHouse, arrangeHouse } from './support/arranged-house.ts'
import { eachEngine } from './support/each-engine.ts'
import { fakeModel, says } from './support/fake-model.ts'
import { ofKind } from './support/read-turns.ts'
import { untilQuiet } from './support/until-quiet.ts'

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  describe('an entry that this version cannot read', () => {
    test.each([
      ['of a kind it does not know', 'chat.poll', { question: 'tea?' }],
      ['a message without its text', 'chat', { mentions: 'nobody' }],
      ['an edit of nothing', 'chat.edit', {}],
      ['an Ask of nobody', 'thread.ask', { bot: 7 }],
    ])(
      '(%s) is skipped, covered and counted, and what stands around it is answered',
      async (_, kind, body) => {
        const house = await arrangeHouse(db, '@ada hello')
        const raw = await appendRaw(house, { kind, body })
        const { entries, errors } = await servedUntilQuiet(house.threadId)
        const decisions = ofKind(entries, 'signal.thread_director.decision')
        expect(
          decisions.map(({ body: told }) => [told.from, told.to, told.rule, told.skipped]),
        ).toEqual([
          [0, raw, 'mention', 1],
          [raw, expect.any(Number) as number, 'bot_spoke', undefined],
        ])
        expect(ofKind(entries, 'chat').at(-1)?.body.text).toBe('Here.')
        expect(errors).toEqual([])
      },
    )

    test('that stands alone is covered by nobody’s turn', async () => {
      const house = await arrangeHouse(db, '@ada hello')
      await servedUntilQuiet(house.threadId)
      await appendRaw(house, { kind: 'chat.poll', body: {} })
      const { entries, errors } = await servedUntilQuiet(house.threadId)
      const last = ofKind(entries, 'signal.thread_director.decision').at(-1)?.body
      expect([last?.speaker, last?.rule, last?.skipped]).toEqual([null, 'no_text', 1])
      expect(errors).toEqual([])
    })
  })

  test.each([
    ['decision', 'last_decision', `{"kind":"fortune_told"}`],
    ['outcome', 'last_outcome', `{"status":"exploded"}`],
  ])(
    'a %s that this version cannot read stops the thread, with a line that says so, and no other thread',
    async (what, column, changed) => {
      const house = await arrangeHouse(db, '@ada hello')
      await servedUntilQuiet(house.threadId)
      await db.query(
        `update thread_directors set ${column} = coalesce(${column}::jsonb, '{}') || $2::jsonb where thread_id = $1`,
        [house.threadId, changed],
      )
      const before = kindsOf(await readAll(house.threadId))
      await appendRaw(house, { kind: 'chat', body: HELLO })
      const other = await arrangeHouse(db, '@ada hello')
      const { errors } = await servedUntilQuiet(other.threadId)
      expect(errors.length).toBe(1)
      expect(errors[0]).toMatch(
        new RegExp(`^UnreadableStream: the thread's last ${what} cannot be read .*(kind|status): `),
      )
      expect(kindsOf(await readAll(house.threadId))).toEqual([...before, 'chat'])
      expect(ofKind(await readAll(other.threadId), 'chat').at(-1)?.body.text).toBe('Here.')
      await db.query('delete from dispatch where key = $1', [`thread:${house.threadId}`])
    },
  )

  async function servedUntilQuiet(threadId: ThreadId) {
    const bus = await openLiveBus(db)
    const store = createThreadDirectorStore(db, (hint) => bus.appended(hint))
    const errors: string[] = []
    const model = fakeModel(says('Here.'))
    const backstage = startBackstage({
      runtimes: new Map(),
      db,
      bus,
      store,
      models: { find: () => model, defaultName: model.id, names: [model.id] },
      config: readConfig({ ARBE_SWEEP_MS: 'off', ARBE_POLL_MS: '50' }),
      onError: (error) => void errors.push(String(error)),
    })
    await untilQuiet(db, 20_000, { threadId })
    await backstage.close()
    await bus.close()
    return { entries: await readAll(threadId), errors }
  }

  /** As another version of this server would have. */
  async function appendRaw(
    { owner, threadId }: ArrangedHouse,
    { kind, body }: { readonly kind: string; readonly body: object },
  ): Promise<number> {
    const entry = {
      houseId: owner.houseId,
      threadId,
      key: `pat:${owner.id}:${kind}:${JSON.stringify(body)}`,
      kind,
      authorId: owner.id,
      authorKind: 'person',
      wakes: true,
      readable: kind.startsWith('chat'),
      causedBy: null,
      hops: 0,
      body,
    }
    const [row] = await db.query<{ seq: number }>(
      'select seq from append_entries(jsonb_build_array($1::jsonb))',
      [JSON.stringify(entry)],
    )
    return row?.seq ?? 0
  }

  async function readAll(threadId: ThreadId): Promise<readonly Entry[]> {
    return await db.query<Entry>(
      `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
      [threadId],
    )
  }
})

const HELLO = { text: '@ada hello', mentions: [], everyone: false }

const kindsOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ kind }) => kind)
