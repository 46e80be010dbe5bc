import {
  type Answer,
  draftDecision,
  draftGiveUp,
} from '@arbe/core/thread-director/thread-director-draft'
import type { DirectorView } from '@arbe/core/thread-director/thread-director-entry-view'
import {
  answerUnasked,
  type Asker,
  askModel,
} from '@arbe/core/thread-director/thread-director-model-call'
import type { DecisionDraft } from '@arbe/core/thread-director/thread-director-port'
import type { PaidQuestion } from '@arbe/core/thread-director/thread-director-rules'
import type { Hold } from './lease-keeper.ts'

export interface DeciderParts extends Asker {
  readonly quietMs: number
}

/** The view and the ordinal that the decision will get. */
export interface NextDecision {
  readonly view: DirectorView
  readonly d: number
}

/** A pass that throws is tried again this often; then people are told instead. */
export const MOST_ATTEMPTS = 8

/** No burst holds a decision up for longer. */
const LONGEST_BURST_MS = 2_000

/** A free rule, or one paid decision. Undefined: a burst is still coming in, look again. */
export async function decideNext(
  parts: DeciderParts,
  hold: Hold,
  next: NextDecision,
): Promise<DecisionDraft | undefined> {
  const { view } = next
  const started = parts.clock.now()
  if (hold.lease.attempts > MOST_ATTEMPTS) {
    return draftGiveUp(view, `tried ${MOST_ATTEMPTS} times; the server's log has the reason`)
  }
  const unasked = answerUnasked(parts.models, view)
  if (unasked.status === 'answered') {
    return draftDecision(view, unasked.answer, parts.clock.now() - started)
  }
  const wait = burstLeft(view, parts.quietMs)
  if (wait > 0) {
    await parts.clock.sleep(wait, hold.signal)
    return undefined
  }
  const paid = await ask(parts, hold, { ...next, question: unasked.question })
  hold.signal.throwIfAborted()
  return draftDecision(view, paid, parts.clock.now() - started)
}

function burstLeft(view: DirectorView, quietMs: number): number {
  const times = view.unread.map(({ createdAt }) => Date.parse(createdAt))
  const first = times.at(0)
  const last = times.at(-1)
  if (first === undefined || last === undefined) return 0
  return Math.max(0, Math.min(last + quietMs, first + LONGEST_BURST_MS) - view.now)
}

/** In the books as this decision's own. */
async function ask(
  parts: DeciderParts,
  { lease: { houseId, threadId }, signal }: Hold,
  { view, d, question }: NextDecision & { readonly question: PaidQuestion },
): Promise<Answer> {
  const place = { houseId, threadId, d }
  return await askModel(parts, { place, purpose: 'decide', view, question, signal })
}
