import type { Entry, ThreadId } from '@arbe/sdk'
import { readConfig } from '@arbe/backstage/config'
import { startBackstage } from '@arbe/backstage/start-backstage'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import type { Models } from '../packages/core/models/model.ts'
import { entryColumns } from '../packages/core/streams/entry-row.ts'
import { type LiveBus, openLiveBus } from '../packages/core/streams/live-bus.ts'
import type { DirectorStore } from '../packages/core/thread-director/thread-director-port.ts'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { arrangeHouse, sayAgain } from './support/arranged-house.ts'
import { checkStream } from './support/check-stream.ts'
import { eachEngine } from './support/each-engine.ts'
import { inLanes } from './support/kill-ground.ts'
import { ofKind } from './support/read-turns.ts'
import { twoRoundModels } from './support/two-round-models.ts'
import { untilQuiet } from './support/until-quiet.ts'
import { type Watch, watchDatabase } from './support/watched-database.ts'

// Nothing but the wake itself brings what is said late to the director's attention: no sweep, no hint, and a poll only where one is named.
const never = '3600000'
const configWith = (pollMs: string) =>
  readConfig({
    ARBE_SWEEP_MS: 'off',
    ARBE_POLL_MS: pollMs,
    ARBE_LEASE_MS: '60000',
    ARBE_QUIET_MS: '0',
  })
const LATE = '@bo and what came late?'

eachEngine((open) => {
  let db: Database
  let bus: LiveBus
  beforeAll(async () => {
    db = await open()
    bus = { ...(await openLiveBus(db)), appended: () => undefined }
  })

  test(
    '[R-36][I1] what is said at any moment of a turn is not in its context, and the next decision covers it',
    { timeout: 240_000 },
    async () => {
      const places = (await play(() => undefined)).passed
      // The embedded engine has one session: there every third place.
      const step = db.engine === 'pglite' ? 3 : 1
      const chosen = Array.from({ length: places }, (_, n) => n + 1).filter(
        (n) => n % step === 1 % step,
      )
      const played = await inLanes(db.engine === 'pglite' ? 1 : 4, chosen, (n) => sayLateAt(n))
      expect(played.flatMap(({ wrong }) => wrong)).toEqual([])
      // Before the decision and after it, so that both sides are told apart.
      expect(new Set(played.map(({ inFirst }) => inFirst))).toEqual(new Set([true, false]))
    },
  )

  test.each([
    ['before', never],
    // The thread is let go, and what comes then is another wake's.
    ['after', '500'],
  ] as const)(
    '[R-08] what is said right %s the release of a thread is decided, sweep off',
    async (when, pollMs) => {
      const rows: unknown[] = []
      let decisions = 0
      const { threadId, entries } = await play(async (moment, { text }, house) => {
        const isDecision = text.includes('director_store_decision')
        if (moment === 'before' && isDecision) decisions += 1
        // The first chooses a bot; the second, over what that said, is nobody and lets the thread go.
        if (rows.length > 0 || moment !== when || decisions !== 2 || !isDecision) return
        rows.push(await isClaimed(house.threadId))
        await sayAgain(db, house, LATE)
      }, pollMs)
      // While it is held its row is due when the lease lapses; a release takes the row away.
      expect(rows).toEqual([when === 'before' ? true : undefined])
      expect(ofKind(entries, 'chat').some(({ body }) => body.text === LATE)).toBe(true)
      expect(checkStream(entries, { quiet: true })).toEqual([])
      expect(await isClaimed(threadId)).toBe(undefined)
    },
  )

  /** True while somebody works on the thread, undefined without a row in the queue. */
  async function isClaimed(threadId: ThreadId): Promise<boolean | undefined> {
    const [row] = await db.query<{ later: boolean }>(
      `select run_at > clock_timestamp() + interval '30 s' as later from dispatch where key = 'thread:' || $1`,
      [threadId],
    )
    return row?.later
  }

  async function sayLateAt(place: number) {
    let isInside = false
    let late: Promise<void> | undefined
    const { entries, requests } = await play(async (when, { number, text }, house) => {
      if (text === 'begin' && when === 'after') isInside = true
      if (text === 'commit' && when === 'after') isInside = false
      if (number !== place || when !== 'before') return
      late = sayAgain(db, house, LATE)
      // An open transaction may be what it has to wait for.
      if (!isInside) await late
    })
    await late
    return { ...judge(entries, requests, place) }
  }

  type AtMoment = (
    ...moment: [...Parameters<Watch>, house: Awaited<ReturnType<typeof arrangeHouse>>]
  ) => void | Promise<void>

  /** One thread with a real worker of its own until it rests, and how many statements that took. */
  async function play(atMoment: AtMoment, pollMs: string = never) {
    const house = await arrangeHouse(db, '@ada put a line into the log')
    const requests: string[] = []
    const errors: unknown[] = []
    let passed = 0
    const statements = { underWay: 0 }
    const watched = watchDatabase(db, {
      async statements(when, statement) {
        passed = statement.number
        if (when === 'before') statements.underWay += 1
        await atMoment(when, statement, house)
        if (when === 'after') statements.underWay -= 1
      },
      renewals: () => undefined,
    })
    const store: DirectorStore = {
      ...createThreadDirectorStore(watched, () => undefined),
      async dueThreads() {
        const due = await createThreadDirectorStore(db, () => undefined).dueThreads(1_000)
        return due.filter((id) => id === house.threadId)
      },
    }
    const onError = (error: unknown): void => void errors.push(error)
    const models = recorded(requests)
    const runtimes = new Map()
    const config = configWith(pollMs)
    const backstage = startBackstage({ runtimes, db: watched, bus, store, models, onError, config })
    do await untilQuiet(db, 60_000, { threadId: house.threadId })
    while (statements.underWay > 0)
    await backstage.close()
    expect(errors).toEqual([])
    const { threadId } = house
    const entries = await db.query<Entry>(
      `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
      [threadId],
    )
    return { threadId, entries, requests, passed }
  }
})

/** Whatever a bot's model is asked, with the name of that bot in it. */
function recorded(requests: string[]): Models {
  const models = twoRoundModels({ onCall: () => undefined })
  const model = models.find('')
  if (model === undefined) throw new Error('there is one model')
  return {
    ...models,
    find: () => ({
      ...model,
      call: (request, options) => {
        requests.push(JSON.stringify([request.systemPrompt, request.messages]))
        return model.call(request, options)
      },
    }),
  }
}

function judge(entries: readonly Entry[], requests: readonly string[], place: number) {
  const late = ofKind(entries, 'chat').find(({ body }) => body.text === LATE)
  const [first, ...others] = ofKind(entries, 'signal.thread_director.decision')
  if (late === undefined || first === undefined)
    return { wrong: [`${place}: nothing`], inFirst: false }
  const inFirst = late.seq <= first.body.seen
  const next = [first, ...others].find(({ body }) => body.seen >= late.seq)
  const closed = ofKind(entries, 'signal.thread_director.outcome')[0]?.seq ?? 0
  const wrong = [
    ...checkStream(entries, { quiet: true }),
    ...requests
      .slice(0, ROUNDS)
      .filter((request) => request.includes('came late') !== inFirst)
      .map(() => `round with it: ${!inFirst}, seen ${first.body.seen}`),
    ...((next?.body.to ?? 0) >= late.seq ? [] : [`not covered by ${next?.body.d ?? 'anything'}`]),
    ...(closed > 0 ? [] : ['no outcome']),
  ]
  return { wrong: wrong.map((line) => `${place}: ${line}`), inFirst }
}

/** Of the first turn. */
const ROUNDS = 2
