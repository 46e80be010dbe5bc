import { toActorId, toThreadId, type Entry } from '@arbe/sdk'
import { writeSync } from 'node:fs'
import { readConfig } from '../../apps/backstage/src/config.ts'
import { startBackstage } from '../../apps/backstage/src/start-backstage.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import { openDatabase } from '../../packages/core/db/open-db.ts'
import { entryColumns } from '../../packages/core/streams/entry-row.ts'
import { openLiveBus } from '../../packages/core/streams/live-bus.ts'
import { createThreadDirectorStore } from '../../packages/core/thread-director/thread-director-store.ts'
import type { DirectorStore } from '../../packages/core/thread-director/thread-director-port.ts'
import type { SandboxRuntime } from '../../packages/core/dispatch/sandbox.ts'
import { endlessModels } from './endless-models.ts'
import { fakeSandboxes } from './fake-sandboxes.ts'
import type { HouseLine, HouseOrder, KillPoint, ThreadReport } from './killed-house-order.ts'
import { type TwoRoundOptions, twoRoundModels } from './two-round-models.ts'
import { untilQuiet } from './until-quiet.ts'
import { watchDatabase, type Watch } from './watched-database.ts'

// One process of a house without a page, which dies where its order says: see killed-at-every-statement.test.ts.

const order: HouseOrder = JSON.parse(process.argv[2] ?? '{}')
const errors: string[] = []
const db = await openDatabase(order.place)
const bus = await openLiveBus(db)
if (order.isLater === true) await letAMinutePass()
const found = await readThreads()
if (order.stop?.at === 'start') await stop(order.stop.key)
const backstage = serveWakes()
print({ type: 'serving' })
await untilQuiet(db, 60_000)
await backstage.close()
print({ type: 'report', report: { threads: await report(), errors } })
await bus.close()
await db.close()

function serveWakes() {
  // What is only looked for, with or without a thread at work, goes past the watch: its number would be chance.
  const watched = watchDatabase(db, { statements: at('statements'), renewals: at('renewals') })
  const store: DirectorStore = {
    ...createThreadDirectorStore(watched, (hint) => bus.appended(hint)),
    dueThreads,
  }
  const atCall = at('calls')
  let asked = 0
  const onCall: TwoRoundOptions['onCall'] = (call) => {
    print({ type: 'call', ...call })
    void atCall('before', { number: (asked += 1), text: 'the model is asked' })
    if (order.stop?.at === 'silence' && call.round === order.silentFrom) void stop(order.stop.key)
  }
  const models =
    order.isEndless === true
      ? endlessModels({ onCall })
      : twoRoundModels({ silentFrom: order.silentFrom, isCommand: order.isCommand, onCall })
  const config = readConfig({
    ARBE_SWEEP_MS: 'off',
    ARBE_POLL_MS: '100',
    ARBE_LEASE_MS: String(order.leaseMs ?? 60_000),
  })
  const onError = (error: unknown): void => void errors.push(String(error))
  const runtimes = new Map([['local', boxes()]])
  return startBackstage({ runtimes, db: watched, bus, store, models, onError, config })
}

/** Boxes that are always there, in which every command does what cannot be undone, and says so. */
function boxes(): SandboxRuntime {
  const fake = fakeSandboxes()
  return {
    ...fake,
    async resolve(ref, means) {
      fake.boxes.add(ref.id)
      const box = await fake.resolve(ref, means)
      return (
        box && {
          ...box,
          async exec(command, options) {
            print({ type: 'command', threadId: options.label.scope })
            return await box.exec(command, options)
          },
        }
      )
    },
  }
}

async function letAMinutePass(): Promise<void> {
  await db.query(`
    update thread_directors
      set lease_until = lease_until - interval '1 minute', retry_at = retry_at - interval '1 minute'`)
  await db.query(`update dispatch set run_at = run_at - interval '1 minute'`)
}

async function dueThreads(): ReturnType<DirectorStore['dueThreads']> {
  const due = await createThreadDirectorStore(db, () => {}).dueThreads(1_000)
  return due.filter((id) => order.threadId === undefined || id === order.threadId)
}

async function stop(key: string): Promise<void> {
  const watched = watchDatabase(db, { statements: at('stop'), renewals: () => {} })
  const store = createThreadDirectorStore(watched, (hint) => bus.appended(hint))
  for (const { id, authorId } of await threads()) {
    const threadId = toThreadId(id)
    await store.stop({ threadId, authorId: toActorId(authorId), key })
    bus.publish({ type: 'stop', threadId })
  }
}

/** Prints the point that is passed, and dies there if it is the one. */
function at(among: KillPoint['among']): Watch {
  return (when, { number, text }) => {
    if (when === 'before') print({ type: 'point', among, number, text })
    const { killAt } = order
    if (killAt?.among === among && killAt.when === when && killAt.number === number) {
      process.kill(process.pid, order.signal ?? 'SIGKILL')
    }
  }
}

function print(line: HouseLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

async function threads(): Promise<readonly { readonly id: string; readonly authorId: string }[]> {
  return db.query(
    `select id, created_by as "authorId" from threads where $1::text is null or id = $1 order by id`,
    [order.threadId ?? null],
  )
}

async function readThreads(): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const all = new Map<string, readonly Entry[]>()
  for (const { id } of await threads()) all.set(id, await readEntries(db, id))
  return all
}

async function readEntries(from: Database, threadId: string): Promise<readonly Entry[]> {
  return from.query<Entry>(
    `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
    [threadId],
  )
}

async function report(): Promise<readonly ThreadReport[]> {
  const reports: ThreadReport[] = []
  for (const { id } of await threads()) {
    const [books] = await db.query<{ booked: number }>(
      `select count(*)::int as booked from ledger where thread_id = $1 and purpose = 'turn'`,
      [id],
    )
    const [file] = await db.query<ThreadReport['file']>(
      `select count(*)::int as versions, (array_agg(content order by version desc))[1] as content
        from files where house_id = (select house_id from threads where id = $1)`,
      [id],
    )
    if (books === undefined || file === undefined) throw new Error('a count has one row')
    const entries = await readEntries(db, id)
    reports.push({ threadId: id, found: found.get(id) ?? [], entries, file, ...books })
  }
  return reports
}
