import type { Offset } from '@arbe/sdk'
import type { DirectorReplay, ReplayedDecision } from '@arbe/sdk/api'
import type { ThreadRef } from '../streams/thread-stream.ts'
import { compareDecisions, couldNotAsk, NO_RULE_NOW, wasLeftToModel } from './compare-decisions.ts'
import { captureAt, type DecisionEntry, type PastThread } from './past-capture.ts'
import { readPast } from './read-past.ts'
import { draftDecision } from './thread-director-draft.ts'
import { type DirectorView, viewOf } from './thread-director-entry-view.ts'
import { askModel, type ReadingAsker } from './thread-director-model-call.ts'
import { decide, type PaidQuestion } from './thread-director-rules.ts'

export interface Replaying extends ThreadRef {
  /** How many of the last decisions. */
  readonly last: number
  /** Asked where no rule answers; undefined: nothing is asked. */
  readonly model: string | undefined
  /** Nothing more is decided, and nothing more asked, once it aborts. */
  readonly signal: AbortSignal
  /** The rules that are tried. */
  readonly rules?: typeof decide
}

/** Decides again what was decided, with what was known then. Nothing is said or stored but the bill of a model that was asked. */
export async function replayDecisions(
  asker: ReadingAsker,
  replaying: Replaying,
): Promise<DirectorReplay> {
  const past = await readPast(asker.db, replaying, replaying.last)
  const decisions: ReplayedDecision[] = []
  let failedAt: Offset | undefined
  // One after the other: each call is held against what the day's budget has left.
  for (const entry of past.decisions) {
    replaying.signal.throwIfAborted()
    const one = await replay(asker, { ...replaying, past, failedAt }, entry)
    decisions.push({ seq: entry.seq, at: entry.createdAt, stored: entry.body, ...one })
    if (one.now !== null && couldNotAsk(one.now)) failedAt ??= entry.seq
  }
  return { decisions, ...sumsOf(decisions, replaying) }
}

type Replayed = Pick<ReplayedDecision, 'verdict' | 'now' | 'note'>

interface Then extends Replaying {
  readonly past: PastThread
  /** The decision at which the model could not be asked. Asking on would cost the same wait, or money, again and again. */
  readonly failedAt: Offset | undefined
}

async function replay(asker: ReadingAsker, then: Then, entry: DecisionEntry): Promise<Replayed> {
  const { body: stored } = entry
  if (stored.rule === 'stopped' || stored.rule === 'gave_up')
    return unmade('not_replayed', 'no rule and no model decided it')
  const view = viewOf(captureAt(then.past, entry))
  const answer = (then.rules ?? decide)(view)
  if (answer.kind === 'free') {
    const now = { ...draftDecision(view, answer, 0), d: stored.d, fence: 0 }
    return { ...compareDecisions(stored, now), now }
  }
  if (then.model !== undefined && then.failedAt === undefined)
    return await ask(asker, { ...then, model: then.model }, { stored, view, question: answer })
  if (!wasLeftToModel(stored)) return unmade('different', NO_RULE_NOW)
  return then.failedAt === undefined
    ? unmade('not_asked', 'no rule answers it, then as now; no model was asked')
    : unmade('not_replayed', `no model was asked any more after ${then.failedAt}`)
}

const unmade = (verdict: Replayed['verdict'], note: string): Replayed => ({
  verdict,
  now: null,
  note,
})

interface Question {
  readonly stored: DecisionEntry['body']
  readonly view: DirectorView
  readonly question: PaidQuestion
}

async function ask(
  asker: ReadingAsker,
  { houseId, threadId, model, signal }: Then & { readonly model: string },
  { stored, view: asItWas, question }: Question,
): Promise<Replayed> {
  const view = { ...asItWas, thread: { ...asItWas.thread, directorModel: model } }
  const place = { houseId, threadId, d: stored.d }
  const chosen = await askModel(asker, { place, purpose: 'replay', view, question, signal })
  const now = { ...draftDecision(view, chosen, 0), d: stored.d, fence: 0 }
  return { ...compareDecisions(stored, now), now }
}

function sumsOf(
  decisions: readonly ReplayedDecision[],
  { model }: Replaying,
): Omit<DirectorReplay, 'decisions'> {
  const count = (verdict: ReplayedDecision['verdict']): number =>
    decisions.filter((one) => one.verdict === verdict).length
  const made = decisions.filter(({ verdict }) => verdict !== 'not_replayed')
  return {
    same: count('same'),
    different: count('different'),
    notComparable: count('not_comparable'),
    notAsked: count('not_asked'),
    notReplayed: count('not_replayed'),
    cost: {
      stored: sum(made.map(({ stored }) => stored.cost)),
      now: model === undefined ? null : sum(decisions.map(({ now }) => now?.cost ?? 0)),
    },
  }
}

const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0)
