import type { DecisionBody } from '@arbe/sdk'
import type { DirectorReplay, ReplayedDecision } from '@arbe/sdk/api'
import type { ThreadRef } from '../streams/thread-stream.ts'
import { captureAt, type DecisionEntry, type PastThread } from './past-capture.ts'
import { readPast } from './read-past.ts'
import { draftDecision } from './thread-director-draft.ts'
import { viewOf } from './thread-director-entry-view.ts'
import { type ReadingAsker, askModel } from './thread-director-model-call.ts'
import { decide } from './thread-director-rules.ts'

export interface Replaying extends ThreadRef {
  /** How many of the last decisions. */
  readonly last: number
  /** Asked where no rule answers; undefined: nothing is asked. */
  readonly model: string | undefined
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
  // One after the other: each call is held against what the day's budget has left.
  for (const entry of past.decisions)
    decisions.push(await replay(asker, { ...replaying, past }, entry))
  const count = (verdict: ReplayedDecision['verdict']): number =>
    decisions.filter((one) => one.verdict === verdict).length
  return {
    decisions,
    same: count('same'),
    different: count('different'),
    notReplayed: count('not_replayed'),
    cost: {
      stored: sum(decisions.map(({ stored }) => stored.cost)),
      now: sum(decisions.map(({ now }) => now?.cost ?? 0)),
    },
  }
}

async function replay(
  asker: ReadingAsker,
  replaying: Replaying & { readonly past: PastThread },
  entry: DecisionEntry,
): Promise<ReplayedDecision> {
  const { body: stored, seq, createdAt: at } = entry
  const told = { seq, at, stored }
  if (stored.rule === 'stopped' || stored.rule === 'gave_up') {
    const note = 'no rule and no model decided it'
    return { ...told, verdict: 'not_replayed', now: null, note }
  }
  const view = viewOf(captureAt(replaying.past, entry))
  const answer = (replaying.rules ?? decide)(view)
  if (answer.kind === 'free') {
    const now = { ...draftDecision(view, answer, 0), d: stored.d, fence: 0 }
    return { ...told, verdict: isSame(stored, now) ? 'same' : 'different', now, note: null }
  }
  const asked = leftToModel(stored)
  if (replaying.model === undefined) {
    const note = asked ? 'a model chose; it was not asked again' : 'no rule answers any more'
    return { ...told, verdict: asked ? 'same' : 'different', now: null, note }
  }
  const { houseId, threadId, model, signal } = replaying
  const place = { houseId, threadId, d: stored.d }
  const withModel = { ...view, thread: { ...view.thread, directorModel: model } }
  const chosen = await askModel(asker, {
    place,
    purpose: 'replay',
    view: withModel,
    question: answer,
    signal,
  })
  const now = { ...draftDecision(withModel, chosen, 0), d: stored.d, fence: 0 }
  const same = asked && stored.speaker === now.speaker && stored.kind === now.kind
  return { ...told, verdict: same ? 'same' : 'different', now, note: null }
}

/** Whatever came of it: no rule had an answer. */
function leftToModel({ kind, rule }: DecisionBody): boolean {
  return kind !== 'free' || rule === 'budget_spent'
}

function isSame(stored: DecisionBody, now: DecisionBody): boolean {
  return (
    stored.kind === 'free' &&
    stored.rule === now.rule &&
    stored.speaker === now.speaker &&
    stored.owedAfter === now.owedAfter
  )
}

const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0)
