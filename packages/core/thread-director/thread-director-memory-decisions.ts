import { type DecisionBody, type ThreadId, toActorId, toOffset } from '@arbe/sdk'
import { isDeepStrictEqual } from 'node:util'
import { requestsUpTo } from './thread-director-entry-view.ts'
import { captureInMemory, rosterVersionOf } from './thread-director-memory-capture.ts'
import type { MemoryDirector, MemoryHouse, MemoryThread } from './thread-director-memory-house.ts'
import { directorOf, free, isRunning } from './thread-director-memory-rows.ts'
import { type CloseParts, outcomeOf, replyOf, stopEntryOf } from './thread-director-orders.ts'
import type {
  CloseDecision,
  DecisionDraft,
  Lease,
  StopOrder,
  Stopped,
  StoreDecision,
} from './thread-director-port.ts'
import { planStop, type StopView } from './thread-director-stop.ts'

interface DecisionOrder {
  readonly lease: Pick<Lease, 'threadId' | 'fence'>
  readonly rosterVersion: string | undefined
  readonly draft: DecisionDraft
}

export function storeInMemory(
  house: MemoryHouse,
  row: MemoryDirector,
  { lease: { threadId, fence }, rosterVersion, draft }: DecisionOrder,
): StoreDecision {
  const thread = house.threads.get(threadId)
  if (thread === undefined) throw new Error(`thread ${threadId} is gone`)
  const again = row.lastDecision
  if (again?.fence === fence && isDeepStrictEqual({ ...draft, d: again.d, fence }, again)) {
    const stored = house.find(threadId, `arbe:decision:${again.d}`)
    if (stored !== undefined) return { status: 'stored', decision: again, seq: stored.seq }
  }
  if (isRunning(row)) throw new Error(`decision ${row.d} of thread ${threadId} has no outcome yet`)
  const isStale = rosterVersion !== undefined && rosterVersion !== rosterVersionOf(house, thread)
  if (isStale || draft.from !== row.decidedOffset) return { status: 'stale' }
  const decision = { ...draft, d: row.d + 1, fence }
  const key = `arbe:decision:${decision.d}`
  const kind = 'signal.thread_director.decision'
  const seq = house.append({ ...signal(threadId), key, kind, body: decision })
  row.d = decision.d
  row.lastDecision = decision
  row.lastOutcome = undefined
  row.attempts = decision.speaker === null ? 0 : 1
  if (decision.speaker === null) row.decidedOffset = decision.to
  return { status: 'stored', decision, seq }
}

interface CloseOrder {
  readonly lease: Pick<Lease, 'threadId' | 'fence'>
  readonly decision: DecisionBody
  readonly parts: CloseParts
}

export function closeInMemory(
  house: MemoryHouse,
  row: MemoryDirector,
  { lease: { threadId }, decision, parts }: CloseOrder,
): CloseDecision {
  const key = `arbe:outcome:${decision.d}`
  const stored = house.find(threadId, key)
  if (stored?.kind === 'signal.thread_director.outcome') {
    return { status: 'closed', outcome: stored.body }
  }
  if (decision.d !== row.d || decision.speaker === null)
    throw new Error(`decision ${decision.d} of thread ${threadId} is not the one that runs`)
  const reply = replyOf(decision, parts.closing)
  const said = reply === undefined ? {} : { reply: house.append({ ...reply, threadId }) }
  if (reply !== undefined) house.due(threadId, row.leaseUntil)
  const outcome = { ...outcomeOf(decision, parts), ...said }
  house.append({ ...signal(threadId), key, kind: 'signal.thread_director.outcome', body: outcome })
  row.lastOutcome = outcome
  row.attempts = 0
  if (outcome.closes) row.decidedOffset = decision.to
  return { status: 'closed', outcome }
}

export function stopInMemory(house: MemoryHouse, order: StopOrder): Stopped {
  const { threadId, key } = order
  const row = directorOf(house, threadId)
  const thread = house.threads.get(threadId)
  if (row === undefined || thread === undefined) return { status: 'gone' }
  const done = house.find(threadId, key)
  if (done?.kind === 'thread.stop') return { status: 'stopped', decision: done.body.decision }
  const plan = planStop(stopViewOf(house, thread, row))
  if (plan.kind === 'idle') return { status: 'idle' }
  row.fence = house.nextFence()
  const lease = { threadId, fence: row.fence }
  house.append({ ...stopEntryOf(order, plan), threadId, causedBy: null })
  if (plan.kind === 'cancel')
    closeInMemory(house, row, { lease, decision: plan.decision, parts: plan })
  else storeInMemory(house, row, { lease, rosterVersion: undefined, draft: plan.draft })
  free(row, 0)
  row.retryAt = 0
  house.due(threadId, house.now())
  house.wake(threadId)
  return { status: 'stopped', decision: plan.kind === 'cancel' ? plan.decision.d : undefined }
}

function stopViewOf(house: MemoryHouse, thread: MemoryThread, row: MemoryDirector): StopView {
  const { entries, wakeHead } = thread
  const lastWord = entries.findLast(({ wakes, authorKind }) => wakes && authorKind === 'person')
  return {
    decidedOffset: row.decidedOffset,
    head: toOffset(entries.length),
    wakeHead,
    requests: requestsUpTo(captureInMemory(house, thread, row), wakeHead),
    held: row.leaseUntil > house.now(),
    lastDecision: row.lastDecision,
    lastOutcome: row.lastOutcome,
    lastWord:
      lastWord === undefined || lastWord.seq <= row.decidedOffset ? toOffset(0) : lastWord.seq,
  }
}

function signal(threadId: ThreadId) {
  return {
    threadId,
    authorId: toActorId('director'),
    authorKind: 'director',
    wakes: false,
    readable: false,
    causedBy: null,
    hops: 0,
  } as const
}
