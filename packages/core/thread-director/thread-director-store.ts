import type { Entry, HouseId, Offset } from '@arbe/sdk'
import type { Database, Executor } from '../db/executor.ts'
import { dueThreads } from '../jobs/dispatch-queue.ts'
import { entryColumns, isSound } from '../streams/entry-row.ts'
import { toJsonText } from '../streams/json-text.ts'
import type { AppendHint } from '../streams/live-bus.ts'
import { LeaseLost } from '../threads/turn.ts'
import {
  type CaptureJson,
  readDecision,
  readOutcome,
  TAIL_MAX,
  toCapture,
} from './thread-director-capture.ts'
import { toCloseJson, toStopJson } from './thread-director-orders.ts'
import { requestsUpTo } from './thread-director-entry-view.ts'
import type {
  Claim,
  CloseDecision,
  DecisionDraft,
  DirectorStore,
  Lease,
  StopOrder,
  Stopped,
  StoreAndRelease,
  StoreDecision,
} from './thread-director-port.ts'
import { createReadings, type Readings } from './thread-director-reading.ts'
import { planStop, type StopView } from './thread-director-stop.ts'

/** An open transaction can stand for it, with itself as the transaction it begins. */
export type StoreDatabase = Pick<Database, 'query' | 'transaction' | 'renewals'>

/**
 * The store on a database; the functions it calls are in `0003-director.sql`, whose header says what keeps holders, rivals, stops
 * and appends apart. `onAppended` is told after each commit that wrote entries.
 */
export function createThreadDirectorStore(
  db: StoreDatabase,
  onAppended: OnAppended,
): DirectorStore {
  // A claim and each close bring the capture that follows in their own round trip.
  const readings = createReadings()
  return {
    ...leases(db, readings),
    ...decisions(db, readings, onAppended),
    dueThreads: (limit) => dueThreads(db, limit),
    sweep: () => call(db, 'director_sweep()', []),
  }
}

type OnAppended = (hint: AppendHint) => void

function leases(
  db: StoreDatabase,
  readings: Readings,
): Pick<DirectorStore, 'claim' | 'renew' | 'releaseIfQuiet' | 'handBack' | 'backOff'> {
  return {
    async claim(threadId, holder) {
      const before = readings.remembered(threadId)
      const last = before?.tail.at(-1)
      const args = [threadId, holder.id, holder.leaseMs, TAIL_MAX, last?.seq, last?.key]
      const answer = await call<ClaimJson>(db, CLAIM, args)
      if (answer.status !== 'claimed') return answer
      const { houseId, fence, attempts } = answer
      const lease = { threadId, houseId, fence, attempts }
      readings.begin(lease, before, answer.capture)
      return { status: 'claimed', lease }
    },

    async renew(lease, leaseMs) {
      const rows = await db.renewals.query(RENEW, [lease.threadId, lease.fence, leaseMs])
      return rows.length > 0
    },

    releaseIfQuiet: (lease, rev) =>
      call(db, 'director_release($1, $2, $3)', [lease.threadId, lease.fence, rev ?? null]),

    async handBack(lease) {
      await call(db, 'director_hand_back($1, $2)', [lease.threadId, lease.fence])
    },

    async backOff(lease, error) {
      const args = [lease.threadId, lease.fence, error.replaceAll('\0', '').slice(0, 1_000)]
      await call(db, 'director_back_off($1, $2, $3)', args)
    },
  }
}

function decisions(
  db: StoreDatabase,
  readings: Readings,
  onAppended: OnAppended,
): Omit<DirectorStore, keyof ReturnType<typeof leases> | 'dueThreads' | 'sweep'> {
  // What the holder writes it also reads on itself: nobody else has to decide it.
  const told = ({ threadId }: Lease, seq: Offset): void =>
    onAppended({ threadId, seq, wakes: false })

  async function store<Answer extends StoreAndRelease>(
    lease: Lease,
    order: DecisionOrder,
  ): Promise<Answer & Next> {
    const orderJson = toJsonText({ ...order, ...readings.readFrom(lease) }).text
    const args = [lease.threadId, lease.fence, orderJson]
    const answer = await call<Answer & Next>(db, STORE_DECISION, args)
    if (answer.status === 'stored' || answer.status === 'released') {
      readings.bring(lease, answer.next ?? null)
      told(lease, answer.seq)
    }
    return answer
  }

  return {
    async capture(lease) {
      const brought = readings.take(lease)
      return readings.toCapture(lease, brought ?? (await readCapture(db, lease, readings)))
    },

    async storeDecision(lease, rosterVersion, draft) {
      const { next: _, ...stored } = await store<StoreDecision>(lease, { rosterVersion, draft })
      return stored
    },

    async storeAndRelease(lease, { rosterVersion, rev }, draft) {
      const order = { rosterVersion, draft, releaseAt: rev ?? null }
      const { next: _, ...stored } = await store<StoreAndRelease>(lease, order)
      return stored
    },

    async closeDecision(lease, decision, { result, closing }) {
      const order = toCloseJson(lease, decision, {
        result,
        closing,
        next: readings.readFrom(lease),
      })
      const args = [lease.threadId, lease.fence, order, readings.staleTail(lease) ?? null]
      const answer = await call<ClosedJson>(db, 'director_close($1, $2, $3::jsonb, $4::json)', args)
      if (answer.status !== 'closed') return answer
      readings.bring(lease, answer.next ?? null)
      told(lease, answer.seq)
      return { status: 'closed', outcome: answer.outcome }
    },

    async turnEntries(lease, d) {
      const rows = await db.query<Entry>(TURN_ENTRIES, [lease.threadId, d])
      return rows.filter(isSound)
    },

    async stop(order) {
      const { stopped, head } = await db.transaction((tx) => stop(tx, order))
      if (head !== undefined) onAppended({ threadId: order.threadId, seq: head, wakes: true })
      return stopped
    },
  }
}

async function call<Answer>(
  executor: Executor,
  expression: string,
  args: readonly unknown[],
): Promise<Answer> {
  const [row] = await executor.query<{ answer: Answer }>(`select ${expression} as answer`, args)
  if (row === undefined) throw new Error(`${expression} gave no answer`)
  return row.answer
}

/** Absent where nothing was written: the order was carried out before. */
interface Next {
  readonly next?: CaptureJson | null
}

interface DecisionOrder {
  readonly rosterVersion: string
  readonly draft: DecisionDraft
  /** The queue row's rev at the capture, where the thread is to be let go with the decision. */
  readonly releaseAt?: number | null
}

type ClosedJson =
  | Exclude<CloseDecision, { readonly status: 'closed' }>
  | (Extract<CloseDecision, { readonly status: 'closed' }> & Next & { readonly seq: Offset })

type ClaimJson =
  | Exclude<Claim, { readonly status: 'claimed' }>
  | {
      readonly status: 'claimed'
      readonly houseId: HouseId
      readonly fence: number
      readonly attempts: number
      readonly capture: CaptureJson
    }

async function readCapture(
  executor: Executor,
  lease: Lease,
  readings: Readings,
): Promise<CaptureJson> {
  const { recent, known } = readings.readFrom(lease)
  const args = [lease.threadId, recent, known]
  const json = await call<CaptureJson | null>(executor, 'director_capture($1, $2, $3)', args)
  if (json === null) throw new LeaseLost(`thread ${lease.threadId} or its director's row is gone`)
  return json
}

const CLAIM = 'director_claim($1, $2, $3, $4, $5, $6)'

const STORE_DECISION = 'director_store_decision($1, $2, $3::jsonb)'

const RENEW = `
  update thread_directors set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    where thread_id = $1 and fence = $2 and lease_until > clock_timestamp()
    returning fence`

const TURN_ENTRIES = `
  select ${entryColumns} from entries
    where thread_id = $1 and caused_by = $2 and kind in ('pi.assistant', 'pi.tool_result')
    order by entries.seq`

interface StopViewJson extends Omit<StopView, 'lastDecision' | 'lastOutcome' | 'requests'> {
  readonly houseId: HouseId
  readonly lastDecision: unknown
  readonly lastOutcome: unknown
  /** Body of the stop that this key already made. */
  readonly done: { readonly decision?: number } | null
}

/** Reads and writes in one transaction, since what is void is computed from what is locked. */
async function stop(
  tx: Executor,
  order: StopOrder,
): Promise<{ readonly stopped: Stopped; readonly head?: Offset }> {
  const { threadId, key } = order
  const json = await call<StopViewJson | null>(tx, 'director_stop_view($1, $2)', [threadId, key])
  if (json === null) return { stopped: { status: 'gone' } }
  if (json.done !== null) return { stopped: { status: 'stopped', decision: json.done.decision } }
  const args = [threadId, TAIL_MAX, null]
  const capture = toCapture(await call<CaptureJson>(tx, 'director_capture($1, $2, $3)', args))
  const plan = planStop({
    ...json,
    // What came after the view was read is not stopped.
    requests: requestsUpTo(capture, json.wakeHead),
    lastDecision: readDecision(json.lastDecision),
    lastOutcome: readOutcome(json.lastOutcome),
  })
  if (plan.kind === 'idle') return { stopped: { status: 'idle' } }
  const decision = plan.kind === 'cancel' ? plan.decision.d : undefined
  const orderJson = toStopJson(order, json.houseId, plan)
  const head = await call<Offset>(tx, 'director_stop($1, $2::jsonb)', [threadId, orderJson])
  return { stopped: { status: 'stopped', decision }, head }
}
