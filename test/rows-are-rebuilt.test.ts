import type { Entry, ThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import type { Executor } from '../packages/core/db/executor.ts'
import { entryColumns } from '../packages/core/streams/entry-row.ts'
import { checkStream } from './support/check-stream.ts'
import { eachEngine } from './support/each-engine.ts'
import { ofKind } from './support/read-turns.ts'
import { openTalkingHouse } from './support/talking-house.ts'
import { untilQuiet } from './support/until-quiet.ts'

eachEngine((open) => {
  test(
    '[I11][I1] when every row of the directors is dropped, workers decide nothing again, and the next message goes on',
    { timeout: 60_000 },
    async () => {
      const db = await open()
      await using house = await openTalkingHouse(db)
      const threads = [await house.newThread(), await house.newThread()]
      for (const threadId of threads)
        for (const text of ['@ada hello', 'Who knows?', '@bo and @cleo, both of you', 'Thanks.'])
          await house.say(threadId, { kind: 'chat', text })
      const [stopped] = threads
      if (stopped === undefined) throw new Error('no thread')
      await house.say(stopped, { kind: 'chat', text: '@dan one more' })
      await untilQuiet(db, 10_000)
      const before = { rows: await rowsOf(db), streams: await streamsOf(db, threads) }
      const asked = house.asked.times

      await db.query('delete from thread_directors')
      await db.query('delete from dispatch')
      const another = await openTalkingHouse(db)
      await db.query('select director_sweep()')
      await untilQuiet(db, 30_000)
      await another[Symbol.asyncDispose]()
      expect({ rows: await rowsOf(db), streams: await streamsOf(db, threads) }).toEqual(before)
      expect([house.asked.times, another.asked.times]).toEqual([asked, 0])

      for (const threadId of threads)
        await house.say(threadId, { kind: 'chat', text: '@ada again' })
      await untilQuiet(db, 10_000)
      for (const [index, entries] of (await streamsOf(db, threads)).entries()) {
        expect(checkStream(entries, { quiet: true })).toEqual([])
        const old = before.streams[index] ?? []
        const later = ofKind(entries.slice(old.length), 'signal.thread_director.decision')
        expect(later[0]?.body.from).toBe(
          ofKind(old, 'signal.thread_director.decision').at(-1)?.body.to,
        )
      }
    },
  )
})

/** What a later pass must know; the lease, the counters and the cache are no part of it. */
async function rowsOf(db: Executor): Promise<readonly object[]> {
  return db.query(
    `select thread_id, decided_offset, d, last_decision, last_outcome from thread_directors order by thread_id`,
  )
}

async function streamsOf(
  db: Executor,
  threads: readonly ThreadId[],
): Promise<readonly (readonly Entry[])[]> {
  return Promise.all(
    threads.map((id) =>
      db.query<Entry>(`select ${entryColumns} from entries where thread_id = $1 order by seq`, [
        id,
      ]),
    ),
  )
}
