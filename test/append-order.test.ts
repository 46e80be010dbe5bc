import type { ArbeClient } from '@arbe/sdk/client'
import { tailThread } from '@arbe/sdk/tail-thread'
import { type Entry, toHouseId, toThreadId } from '@arbe/sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { appendEntry } from '../packages/core/streams/thread-stream.ts'
import { followAll } from './support/follow-all.ts'
import { type HttpHouse, openHttpHouseOn } from './support/http-house.ts'
import { createDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { signIn } from './support/sign-in.ts'
import { chatDraft } from './support/threads.ts'

describe.skipIf(requireOrSkip('postgres'))(
  'an append that has its offset and is not committed',
  () => {
    let made: TestDatabase
    let db: Database
    let house: HttpHouse
    let mia: ArbeClient
    beforeEach(async () => {
      made = await createDatabase()
      db = await openDatabase({ url: made.url })
      house = await openHttpHouseOn(db)
      mia = (await signIn(house.www.ownerLink ?? '', 'Mia')).client
    })
    afterEach(async () => {
      await house.close()
      await db.close()
      await made.drop()
    })

    test.each(['commits', 'rolls back'] as const)(
      '[R-03][I6] %s: nobody sees a later one before it, nor a gap, by page, tail or feed',
      async (ending) => {
        const held = (await mia.threads.create({ people: [], bots: [] })).id
        const other = (await mia.threads.create({ people: [], bots: [] })).id
        const before = await pageOf(held)
        await using feed = await followAll(mia)
        await using tail = startTail(held)
        await using pages = startPages(held)

        const a = Promise.withResolvers<void>()
        const end = Promise.withResolvers<void>()
        const first = db.transaction(async (tx) => {
          const draft = chatDraft({ houseId: await houseOf(held), threadId: toThreadId(held) }, 'A')
          expect(await appendEntry(tx, draft)).toMatchObject({ seq: before.length + 1 })
          a.resolve()
          await end.promise
          if (ending === 'rolls back') throw new Error('rolled back')
        })
        first.catch(() => undefined)
        await a.promise
        const later = ['B', 'C', 'D'].map((text) =>
          mia.threads.append(held, { kind: 'chat', text }),
        )
        await untilSomebodyWaits()
        // Another thread goes on meanwhile, and brings readers of both past the one that is held.
        const { seq } = await mia.threads.append(other, { kind: 'chat', text: 'elsewhere' })
        await feed.reached(new Map([[other, seq]]))
        await pages.next(3)
        expect([await pageOf(held), feed.entries.get(held), tail.entries]).toEqual([
          before,
          undefined,
          before,
        ])

        end.resolve()
        await first.catch(() => undefined)
        const seqs = (await Promise.all(later)).map((appended) => appended.seq)
        const log = await pageOf(held)
        const words = log.slice(before.length).map(({ body }) => ('text' in body ? body.text : ''))
        expect(words.toSorted()).toEqual(
          ending === 'commits' ? ['A', 'B', 'C', 'D'] : ['B', 'C', 'D'],
        )
        expect(words.indexOf('A')).toBe(ending === 'commits' ? 0 : -1)
        expect(log.map((entry) => entry.seq)).toEqual(log.map((_, index) => index + 1))
        expect(new Set(seqs)).toEqual(new Set(log.slice(-3).map((entry) => entry.seq)))
        await feed.reached(new Map([[held, log.length]]))
        await tail.has(log.length)
        expect([feed.entries.get(held), tail.entries]).toEqual([log.slice(before.length), log])
        // Every page that was ever seen is a beginning of the log.
        for (const page of pages.seen) expect(page).toEqual(log.slice(0, page.length))
        expect(house.errors).toEqual([])
      },
    )

    async function pageOf(threadId: string): Promise<readonly Entry[]> {
      return (await mia.threads.entries(threadId, { after: 0, limit: 200 })).entries
    }

    async function houseOf(threadId: string) {
      const [row] = await db.query<{ id: string }>(
        'select house_id as id from threads where id = $1',
        [threadId],
      )
      return toHouseId(row?.id ?? '')
    }

    async function untilSomebodyWaits(): Promise<void> {
      while ((await db.query('select 1 from pg_locks where not granted limit 1')).length === 0);
    }

    /** Reads the thread from its beginning, over and over. */
    function startPages(threadId: string) {
      const all: (readonly Entry[])[] = []
      const over = new AbortController()
      let news = Promise.withResolvers<void>()
      const reading = (async () => {
        while (!over.signal.aborted) {
          all.push(await pageOf(threadId))
          news.resolve()
          news = Promise.withResolvers()
        }
      })()
      return {
        seen: all,
        async next(count: number) {
          for (let n = 0; n < count; n += 1) await news.promise
        },
        async [Symbol.asyncDispose]() {
          over.abort()
          await reading
        },
      }
    }

    function startTail(threadId: string) {
      const entries: Entry[] = []
      const control = new AbortController()
      let news = Promise.withResolvers<void>()
      const reading = (async () => {
        const tail = tailThread(mia, threadId, { after: 0, signal: control.signal })
        for await (const entry of tail) {
          entries.push(entry)
          news.resolve()
          news = Promise.withResolvers()
        }
      })()
      return {
        entries,
        async has(count: number) {
          while (entries.length < count) await news.promise
        },
        async [Symbol.asyncDispose]() {
          control.abort()
          await reading
        },
      }
    }
  },
)
