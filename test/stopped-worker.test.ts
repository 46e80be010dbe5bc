import type { Entry } from '@arbe/sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { entryColumns } from '../packages/core/streams/entry-row.ts'
import { arrangeHouse } from './support/arranged-house.ts'
import { checkStream } from './support/check-stream.ts'
import { inLanes, pointsIn, type Scene, serverGround, undisturbed } from './support/kill-ground.ts'
import type { HouseLine, HouseOrder, KillPoint } from './support/killed-house-order.ts'
import { createDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { reportIn, type RunningHouse, runHouse, startHouse } from './support/run-house.ts'

const says: Scene['says'] = '@ada put a line into the log'
const TIMEOUT = 240_000

// Long enough for a busy machine to get to the place where it stops.
const LEASE_MS = 6_000

describe.skipIf(requireOrSkip('postgres'))(
  'a worker that stands still for longer than its lease',
  () => {
    let made: TestDatabase
    let db: Database
    beforeEach(async () => {
      made = await createDatabase()
      db = await openDatabase({ url: made.url })
    })
    afterEach(async () => {
      await db.close()
      await made.drop()
    })

    test(
      '[R-16][I2][I4] calls no model and writes nothing after another took its thread over, wherever in a turn it stood',
      { timeout: TIMEOUT },
      async () => {
        const places = (await placesOfWrites()).map(({ number }) => number)
        const { calls, broken, errors } = await overtake(places, {})
        expect({ calls, broken, errors }).toEqual({
          calls: places.map(() => 0),
          broken: [],
          errors: [],
        })
      },
    )

    // After a Stop no entry stands under the keys of what it would write next: its fence alone keeps that out.
    test(
      '[R-16][I4] writes nothing after a Stop, wherever in a turn it stood',
      { timeout: TIMEOUT },
      async () => {
        const places = (await placesOfWrites())
          .filter(({ text }) => text !== 'commit')
          .map(({ number }) => number)
        const stop = { key: 'ses:mia:stop', at: 'start' } as const
        const { broken, errors } = await overtake(places, { stop })
        expect({ broken, errors }).toEqual({ broken: [], errors: [] })
      },
    )

    /** Each place has a worker of its own standing there while one more process sees to all threads; then they go on. */
    async function overtake(places: readonly number[], order: Partial<HouseOrder>) {
      const place = { url: made.url }
      const standing = await inLanes(3, places, standAt)
      const { threads, errors } = reportIn(await runHouse({ ...order, place }))
      for (const { house } of standing) house.send('SIGCONT')
      const calls: number[] = []
      for (const { house, at } of standing) calls.push(callsAfter((await house.ended).lines, at))
      const broken: string[] = []
      for (const { threadId, entries } of threads) {
        const now = await readEntries(threadId)
        broken.push(...checkStream(now, { quiet: true }))
        broken.push(...now.slice(entries.length).map(({ kind }) => `a late ${kind}`))
      }
      return { calls, broken, errors }
    }

    async function standAt(number: number): Promise<Standing> {
      const { threadId } = await arrangeHouse(db, says)
      const at = { when: 'before', number, among: 'statements' } as const
      const house = startHouse({
        place: { url: made.url },
        threadId,
        killAt: at,
        signal: 'SIGSTOP',
        leaseMs: LEASE_MS,
      })
      await house.heard((line) => isPoint(line, at))
      return { house, at }
    }

    async function readEntries(threadId: string): Promise<readonly Entry[]> {
      return await db.query<Entry>(
        `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
        [threadId],
      )
    }
  },
)

interface Standing {
  readonly house: RunningHouse
  readonly at: KillPoint
}

/** Of a turn's statements those that change something; of the tool's transaction its beginning and its end. */
async function placesOfWrites(): Promise<
  readonly { readonly number: number; readonly text: string }[]
> {
  const { last } = await undisturbed(serverGround, { says })
  let isOpen = false
  return pointsIn(last, 'statements').flatMap((text, index) => {
    if (text === 'commit') isOpen = false
    const isWrite = !isOpen && WRITES.test(text)
    if (text === 'begin') isOpen = true
    return isWrite ? [{ number: index + 1, text }] : []
  })
}

const WRITES = /^select director_|^(insert into|update) ledger|^begin$|^commit$/

function isPoint(line: HouseLine, { among, number }: KillPoint): boolean {
  return line.type === 'point' && line.among === among && line.number === number
}

function callsAfter(lines: readonly HouseLine[], at: KillPoint): number {
  const place = lines.findIndex((line) => isPoint(line, at))
  return lines.slice(place).filter(({ type }) => type === 'call').length
}
