import type { ActorId, DecisionBody, ThreadId } from '@arbe/sdk'
import { closingOf } from '@arbe/core/thread-director/thread-director-closing'
import { isQuiet } from '@arbe/core/thread-director/thread-director-eligibility'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import type {
  Capture,
  DecisionDraft,
  DirectorStore,
} from '@arbe/core/thread-director/thread-director-port'
import { restsAfter } from '@arbe/core/thread-director/thread-director-rest'
import { LeaseLost, type TurnResult } from '@arbe/core/threads/turn'
import { mentionsIn } from './mentions-in.ts'
import type { Hold } from './lease-keeper.ts'

/** A decision that chose a bot. */
export type SpokenDecision = DecisionBody & { readonly speaker: ActorId }

/** What a pass needs of the world. */
export interface Director {
  readonly store: DirectorStore
  /** The thread's one live lease, kept alive until it is disposed; undefined when somebody else holds it. */
  hold(threadId: ThreadId): Promise<Hold | undefined>
  /** A free rule, or one paid decision. Undefined: the thread is not quiet yet, look again. */
  decide(hold: Hold, capture: Capture): Promise<DecisionDraft | undefined>
  /** The selected bot's turn, begun or taken up where it was left. */
  takeTurn(hold: Hold, capture: Capture, decision: SpokenDecision): Promise<TurnResult>
  /** This worker stops: what was begun may end, and the thread is then given back. */
  isClosing?(): boolean
  /** The thread is due for whoever comes first: other workers may be told, before they look by themselves. */
  onGivenBack?(threadId: ThreadId): void
  /** A pass that threw, for the log. */
  onFailure(threadId: ThreadId, error: unknown): void
}

/** After so many passes the thread is given back and woken again, so that a busy one does not keep a worker for ever. */
const MOST_PASSES = 50

/**
 * Serves one wake: catches the thread up, one decision after the other, until nothing is unread and no bot is owed a turn that it may
 * take. Whatever dies on the way, the next wake goes on from what the stream holds. Answers whether the thread was left due.
 */
export async function runThreadDirectorWake(
  director: Director,
  threadId: ThreadId,
): Promise<boolean> {
  await using hold = await director.hold(threadId)
  if (hold === undefined) return false
  try {
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      if ((await runPass(director, hold)) === 'released') return false
      if (director.isClosing?.() === true) break
    }
  } catch (error) {
    // Lapsed, taken over, or this process shuts down: whoever comes next goes on. What is no longer ours is not handed back.
    if (!hold.signal.aborted && !(error instanceof LeaseLost)) {
      director.onFailure(threadId, error)
      await director.store.backOff(hold.lease, messageOf(error))
      return false
    }
  }
  await director.store.handBack(hold.lease)
  director.onGivenBack?.(threadId)
  return true
}

async function runPass(director: Director, hold: Hold): Promise<'released' | 'again'> {
  const { store } = director
  hold.signal.throwIfAborted()
  const capture = await store.capture(hold.lease)
  const unfinished = unfinishedTurn(capture)
  if (unfinished !== undefined)
    return await speak(director, hold, { capture, decision: unfinished })

  if (isQuiet(viewOf(capture))) return await release(director, hold, capture)

  const draft = await director.decide(hold, capture)
  if (draft === undefined) return 'again'
  const stored = restsAfter(capture, draft)
    ? await store.storeAndRelease(hold.lease, capture, draft)
    : await store.storeDecision(hold.lease, capture.rosterVersion, draft)
  if (stored.status === 'released') return 'released'
  if (stored.status === 'lease_lost') throw new LeaseLost(`thread ${hold.lease.threadId}`)
  if (stored.status === 'stale' || !isSpoken(stored.decision)) return 'again'
  if (director.isClosing?.() === true) return 'again'
  return await speak(director, hold, { capture, decision: stored.decision })
}

/** A decision chose a speaker and has no outcome: its turn was interrupted, and is taken up before anything else is decided. */
function unfinishedTurn({ lastDecision, lastOutcome }: Capture): SpokenDecision | undefined {
  if (lastDecision === undefined || lastOutcome !== undefined) return undefined
  return isSpoken(lastDecision) ? lastDecision : undefined
}

function isSpoken(decision: DecisionBody): decision is SpokenDecision {
  return decision.speaker !== null
}

async function speak(
  director: Director,
  hold: Hold,
  turn: { readonly capture: Capture; readonly decision: SpokenDecision },
): Promise<'again'> {
  const { capture, decision } = turn
  const result = await director.takeTurn(hold, capture, decision)
  const closing = closingOf(decision, result, mentionsIn(capture))
  const closed = await director.store.closeDecision(hold.lease, decision, { result, closing })
  if (closed.status === 'lease_lost') throw new LeaseLost(`thread ${hold.lease.threadId}`)
  return 'again'
}

async function release(
  director: Director,
  hold: Hold,
  capture: Capture,
): Promise<'released' | 'again'> {
  const answer = await director.store.releaseIfQuiet(hold.lease, capture.rev)
  if (answer === 'lease_lost') throw new LeaseLost(`thread ${hold.lease.threadId}`)
  return answer === 'released' ? 'released' : 'again'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
