import type { Executor } from '@arbe/core/db/executor'
import type { Dispatcher } from '@arbe/core/dispatch/bot-turn'
import type { Clock } from '@arbe/core/dispatch/clock'
import { runBotTurn } from '@arbe/core/dispatch/dispatch'
import type { AgentTool, ToolContext } from '@arbe/core/dispatch/tool'
import type { Books } from '@arbe/core/models/ledger'
import type { Models } from '@arbe/core/models/model'
import type { Capture, DirectorStore } from '@arbe/core/thread-director/thread-director-port'
import type { AppendHint } from '@arbe/core/streams/live-bus'
import type { TurnStore } from '@arbe/core/thread-director/turn-store'
import type { TurnResult, TurnWrites } from '@arbe/core/threads/turn'
import { type DecisionBody, type Entry, NO_USAGE, type Offset } from '@arbe/sdk'
import { MOST_ATTEMPTS } from './decide-next.ts'
import type { Hold } from './lease-keeper.ts'
import type { LiveShow } from './live-show.ts'
import type { SpokenDecision } from './thread-director-wake.ts'

export interface TurnParts {
  /** What tools read. */
  readonly db: Executor
  readonly store: DirectorStore
  readonly turns: TurnStore
  readonly books: Books
  readonly buildTools: (ctx: ToolContext) => readonly AgentTool[]
  readonly models: Models
  readonly clock: Clock
  readonly newCallId: () => string
  readonly idleMs: number
}

/** What one decision's turn works on. */
export interface TurnOrder {
  readonly hold: Hold
  readonly show: LiveShow
  readonly capture: Capture
  readonly decision: SpokenDecision
  /** Told after each of the turn's commits. */
  readonly onAppended: (hint: AppendHint) => void
}

/** How many entries of the conversation a turn may look back on; what of them fits its budget is chosen by the builder. */
const CONVERSATION = 128

/** Gathers what the selected bot's turn needs, runs it, and hands back what came of it. */
export async function takeTurn(parts: TurnParts, order: TurnOrder): Promise<TurnResult> {
  const { capture, decision, hold, show } = order
  const { houseId, threadId } = hold.lease
  // A decision stored under this very lease has had no attempt before, however often the pass to it was tried.
  const attempts = decision.fence === hold.lease.fence ? 1 : hold.lease.attempts
  // A turn that comes to its rounds has fewer; this one throws before.
  if (attempts > MOST_ATTEMPTS) return gaveUp
  const seat = capture.bots.find(({ id }) => id === decision.speaker)
  const stored = (): Promise<readonly Entry[]> => parts.store.turnEntries(hold.lease, decision.d)
  const isAway = seat === undefined || seat.muted
  // A turn that has begun is taken up all the same: what its rounds have said and done is not lost.
  if (isAway && (await stored()).length === 0) return speakerLeft
  const bot = await parts.turns.speaker(houseId, decision.speaker)

  const answered = answeredBy(decision)
  const { entries, after } = await parts.turns.context({
    houseId,
    threadId,
    botId: decision.speaker,
    from: decision.from,
    seen: decision.seen,
    owed: answered,
    limit: CONVERSATION,
  })
  show.speaking(bot.id, { d: decision.d, after: capture.seen })
  return await runBotTurn(dispatcherOf(parts, show), {
    houseId,
    threadId,
    decision,
    entries,
    after,
    bot: { ...bot, id: decision.speaker },
    stored,
    attempts,
    roster: new Map([...capture.people, ...capture.bots].map((member) => [member.id, member])),
    toolRules: { allow: bot.toolsAllow ?? undefined, deny: bot.toolsDeny },
    notes: [],
    writes: shownWrites(
      parts.turns.writes({ lease: hold.lease, decision }, order.onAppended),
      show,
    ),
    signal: hold.signal,
    isOurs: () => hold.isOurs(),
    betweenRounds: () => endsBetweenRounds(parts, order, entries),
    onText: (delta) => show.text(delta),
    onRestart: () => show.answerVoid(),
  })
}

const speakerLeft: TurnResult = {
  status: 'cancelled',
  because: 'speaker_left',
  rounds: 0,
  usage: NO_USAGE,
  cost: 0,
  ms: 0,
}

const gaveUp: TurnResult = {
  ...speakerLeft,
  status: 'interrupted',
  because: 'gave_up',
  error: `tried ${MOST_ATTEMPTS} times; the server's log has the reason`,
}

function dispatcherOf(
  { db, books, models, clock, newCallId, idleMs, buildTools }: TurnParts,
  show: LiveShow,
): Dispatcher {
  return {
    db,
    books,
    models,
    clock,
    newCallId,
    idleMs,
    buildTools: (ctx) => buildTools(ctx).map((tool) => shownTool(tool, show)),
  }
}

/** The tool, with its name on the screen while it runs. */
function shownTool(tool: AgentTool, show: LiveShow): AgentTool {
  const shown = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    show.tool(tool.spec.name)
    try {
      return await work()
    } finally {
      show.tool(null)
    }
  }
  return tool.effect === 'idempotent'
    ? { ...tool, apply: (tx, run) => shown(() => tool.apply(tx, run)) }
    : { ...tool, run: (run) => shown(() => tool.run(run)) }
}

function shownWrites(writes: TurnWrites, show: LiveShow): TurnWrites {
  return {
    ...writes,
    async assistant(draft) {
      const seq = await writes.assistant(draft)
      show.answerStored(seq)
      return seq
    },
  }
}

/** The speaker's requests that its turn serves. */
function answeredBy(decision: DecisionBody): readonly Offset[] {
  return decision.requests
    .filter(({ bot, entry }) => bot === decision.speaker && entry <= decision.to)
    .map(({ entry }) => entry)
}

/** What the turn answers: its requests, or else all that the decision covers. */
function causesOf(
  entries: readonly Entry[],
  decision: DecisionBody,
  answered: readonly Offset[],
): readonly Entry[] {
  return entries.filter(({ seq, wakes }) =>
    answered.length > 0
      ? answered.includes(seq)
      : wakes && seq > decision.from && seq <= decision.to,
  )
}

async function endsBetweenRounds(
  { turns }: TurnParts,
  { decision, hold }: TurnOrder,
  entries: readonly Entry[],
): Promise<{ readonly because: string } | undefined> {
  const causes = causesOf(entries, decision, answeredBy(decision)).map(({ seq }) => seq)
  const { speaker, seen } = decision
  const because = await turns.lostCause({ ...hold.lease, speaker, causes, seen })
  return because === undefined ? undefined : { because }
}
