import { type EntryBody, type Offset, toOffset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { type EntryDraft, toEntryJson } from '../streams/entry-draft.ts'
import type { AppendHint } from '../streams/live-bus.ts'
import {
  LeaseLost,
  type ToolCallPlace,
  type ToolOutcome,
  type TurnWrites,
} from '../threads/turn.ts'
import type { Lease } from './thread-director-port.ts'
import type { StoreDatabase } from './thread-director-store.ts'
import {
  assistantEntryOf,
  effectKeyOf,
  outcomeIn,
  resultEntryOf,
  resultKeyOf,
  type TurnOf,
} from './turn-entry.ts'

/**
 * The writes of one turn. Each finds the turn's fence in the director's row in the transaction that writes, so that after a takeover
 * nothing of it is accepted, and is keyed by its place in the turn, so that the first one stored for a place stays. `onAppended` is
 * told after each commit.
 */
export function createTurnWrites(
  db: StoreDatabase,
  turn: TurnOf,
  onAppended: (hint: AppendHint) => void,
): TurnWrites {
  const { lease } = turn
  const told = <Body>({ seq, body }: Stored<Body>): Body => {
    onAppended({ threadId: lease.threadId, seq, wakes: false })
    return body
  }
  return {
    async assistant(round) {
      const entry = { ...assistantEntryOf(turn, round), houseId: lease.houseId }
      const stored = await append(db, turn, entry)
      told(stored)
      return toOffset(stored.seq)
    },

    async toolResult(call, outcome) {
      return outcomeIn(told(await appendResult(db, { turn, call }, outcome)))
    },

    async toolEffect(call, effect) {
      const elsewhere: AppendHint[] = []
      const apply: Effect = (tx, key) => effect(tx, key, (hint) => elsewhere.push(hint))
      const stored = await db.transaction((tx) => applyOnce(tx, { turn, call }, apply))
      for (const hint of elsewhere) onAppended(hint)
      return outcomeIn(told(stored))
    },
  }
}

interface Stored<Body> {
  readonly seq: Offset
  readonly body: Body
}

type ResultBody = EntryBody<'pi.tool_result'>

async function append<Body>(
  executor: Executor,
  { lease }: TurnOf,
  entry: EntryDraft,
): Promise<Stored<Body>> {
  const [row] = await executor.query<{ stored: Stored<Body> | null }>(
    'select director_turn_append($1, $2, $3::jsonb) as stored',
    [lease.threadId, lease.fence, toEntryJson(entry)],
  )
  return held(row?.stored, lease)
}

type Effect = (tx: Executor, effectKey: string) => Promise<ToolOutcome>

interface CallOf {
  readonly turn: TurnOf
  readonly call: ToolCallPlace
}

async function appendResult(
  executor: Executor,
  { turn, call }: CallOf,
  outcome: ToolOutcome,
): Promise<Stored<ResultBody>> {
  const { houseId } = turn.lease
  return await append<ResultBody>(executor, turn, {
    ...resultEntryOf(turn, call, outcome),
    houseId,
  })
}

async function applyOnce(
  tx: Executor,
  { turn, call }: CallOf,
  effect: Effect,
): Promise<Stored<ResultBody>> {
  const { lease } = turn
  const [row] = await tx.query<{ found: Stored<ResultBody | null> | null }>(
    'select director_turn_find($1, $2, $3) as found',
    [lease.threadId, lease.fence, resultKeyOf(turn, call)],
  )
  const { seq, body } = held(row?.found, lease)
  if (body !== null) return { seq, body }
  const outcome = await effect(tx, effectKeyOf(turn, call))
  return appendResult(tx, { turn, call }, outcome)
}

function held<Answer>(answer: Answer | null | undefined, { threadId, fence }: Lease): Answer {
  if (answer === null || answer === undefined)
    throw new LeaseLost(`fence ${fence} no longer holds thread ${threadId}`)
  return answer
}
