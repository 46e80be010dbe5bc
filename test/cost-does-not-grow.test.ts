import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ThreadId } from '@arbe/sdk'
import type { AppendInput } from '@arbe/sdk/api'
import { describe, expect, test } from 'vitest'
import { copyTemplate } from '../packages/core/db/data-template.ts'
import type { Database } from '../packages/core/db/executor.ts'
import { migrate } from '../packages/core/db/migrate.ts'
import { openPglite } from '../packages/core/db/pglite-db.ts'
import { TOKEN_BUDGET, tokensIn } from '../packages/core/thread-director/thread-director-budget.ts'
import { causesOfTurn } from '../packages/core/threads/turn-causes.ts'
import { lengthenThread, readTalk, type Talk } from './support/lengthen-thread.ts'
import { openOneSession } from './support/one-session-postgres.ts'
import { createDatabase } from './support/postgres.ts'
import { requireOrSkip } from './support/require.ts'
import { openTalkingHouse, type TalkingHouse } from './support/talking-house.ts'

const chat = (text: string): AppendInput => ({ kind: 'chat', text })
const question = chat('What follows from that, and who should look at it next?')

/** The first message that somebody wrote: offset 3, behind who is in the thread. */
const far = 3

/** What is said, to a bot that was not named by the same edit before. */
const said = (bot: string): Readonly<Record<string, AppendInput>> => ({
  'a turn after a paid decision': question,
  'a turn after a mention': chat(`${bot} what do you think?`),
  'a message that nobody answers': chat('Thanks!'),
  'a reply to the first message': { kind: 'chat', text: 'Is that still so?', replyTo: far },
  'an edit of the first message': {
    kind: 'chat.edit',
    target: far,
    text: `${bot} what is it now?`,
  },
})

interface Ground extends AsyncDisposable {
  readonly db: Database
}

async function embedded(): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-cost-'))
  await copyTemplate(join(folder, 'db'))
  const db = await openPglite(join(folder, 'db'), 'off')
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function server(): Promise<Ground> {
  const made = await createDatabase()
  const db = await openOneSession(made.url)
  await migrate(db)
  // Which statistics there are is for the test to say; and what a worker of the server reads is counted with the rest.
  await db.exec(`do $$ begin
    execute (select string_agg(format('alter table %I set (autovacuum_enabled = false);', tablename), '')
      from pg_tables where schemaname = 'public');
  end $$`)
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await made.drop()
    },
  }
}

/** Blocks of tables and indexes that this session has looked at so far, wherever they came from. */
async function blocksRead(db: Database): Promise<number> {
  await db.query('select pg_stat_force_next_flush()')
  const [row] = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks from pg_statio_user_tables`,
  )
  return row?.blocks ?? 0
}

interface Place {
  readonly house: TalkingHouse
  readonly db: Database
  readonly talk: Talk
}

/** A thread with so many entries before, after a few turns that filled what is kept between them. */
async function threadOf({ house, db, talk }: Place, length: number): Promise<ThreadId> {
  const threadId = await house.newThread()
  await lengthenThread(db, { houseId: house.houseId, threadId }, { talk, length })
  for (let turn = 0; turn < 3; turn += 1) await house.say(threadId, question)
  return threadId
}

/** The last decision by which a bot spoke: that of the edit. */
async function turnOf(db: Database, threadId: ThreadId): Promise<number> {
  const [row] = await db.query<{ d: number }>(
    `select max((body ->> 'd')::int) as d from entries
      where thread_id = $1 and kind = 'signal.thread_director.decision' and body ->> 'speaker' is not null`,
    [threadId],
  )
  return row?.d ?? 0
}

/** The least of what each cost: some turns also renew what is kept of the tail. */
async function costsOf(
  { house, db }: Place,
  threadId: ThreadId,
  bots: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>()
  for (const [what, input] of bots.flatMap((bot) => Object.entries(said(bot)))) {
    const before = await blocksRead(db)
    await house.say(threadId, input)
    const cost = (await blocksRead(db)) - before
    costs.set(what, Math.min(cost, costs.get(what) ?? cost))
  }
  const d = await turnOf(db, threadId)
  const before = await blocksRead(db)
  await causesOfTurn(db, { houseId: house.houseId, threadId }, d)
  costs.set('for whom a turn acts', (await blocksRead(db)) - before)
  return costs
}

/** What costs more in a long thread than in a short one; `atFirst` is done while there is next to nothing. */
async function growthOn(
  open: () => Promise<Ground>,
  atFirst: (db: Database) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  await using ground = await open()
  const { db } = ground
  await using house = await openTalkingHouse(db)
  // Every statement is planned here, where the tables are all but empty, and those plans are what the session keeps.
  const first = await house.newThread()
  for (let turn = 0; turn < 10; turn += 1) await house.say(first, question)
  await atFirst(db)
  const talk = await readTalk(db, { houseId: house.houseId, threadId: first })
  const place = { house, db, talk }
  const short = await threadOf(place, 1_500)
  const long = await threadOf(place, 15_000)

  const grown: string[] = []
  for (const [statistics, ...bots] of [
    ['without', '@bo', '@cleo'],
    ['with', '@dan', '@ada'],
  ]) {
    if (statistics === 'with') await db.exec('analyze')
    const [ofShort, ofLong] = [await costsOf(place, short, bots), await costsOf(place, long, bots)]
    for (const [what, cost] of ofLong) {
      const before = ofShort.get(what) ?? 0
      if (cost > before * 1.5) grown.push(`${what}, ${statistics} statistics: ${before} → ${cost}`)
    }
  }
  return grown
}

describe.each([
  ['the embedded engine', embedded, false],
  ['a server', server, requireOrSkip('postgres')],
])('on %s', (_, open, isSkipped) => {
  test.skipIf(isSkipped)(
    '[I12] what a message makes the database read does not grow with what was said before, with statistics or without',
    async () => expect(await growthOn(open)).toEqual([]),
    120_000,
  )

  test.skipIf(isSkipped)(
    '[I12] nor does it with statistics from before there was much to read',
    async () => expect(await growthOn(open, (db) => db.exec('analyze'))).toEqual([]),
    120_000,
  )

  test.skipIf(isSkipped)(
    '[I12] the question to a model stays within its budget behind 50,000 entries, and a free decision asks none',
    async () => {
      await using ground = await open()
      const { db } = ground
      await using house = await openTalkingHouse(db)
      const first = await house.newThread()
      const long = 'All that was written about it, once more. '.repeat(100)
      for (let turn = 0; turn < 4; turn += 1) await house.say(first, chat(`${long}What follows?`))
      const talk = await readTalk(db, { houseId: house.houseId, threadId: first })
      const threadId = await threadOf({ house, db, talk }, 50_000)

      const before = house.asked.times
      await house.say(threadId, chat('Thanks!'))
      expect(house.asked.times).toBe(before)

      await house.say(threadId, chat(`${long}Who should look?`))
      expect(house.asked.times).toBe(before + 1)
      const said =
        house.asked.last?.messages
          .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
          .join('') ?? ''
      expect(said).toContain('Who should look?')
      // The candidates stand before it; they grow with the bots of the thread and their tools alone.
      const talked = tokensIn(said.slice(said.indexOf('Said before:')))
      expect(talked).toBeLessThan(TOKEN_BUDGET)
      expect(talked).toBeGreaterThan(TOKEN_BUDGET / 2)
    },
    120_000,
  )
})
