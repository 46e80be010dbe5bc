import type { Entry, ThreadId } from '@arbe/sdk'
import { viewOf } from '../../packages/core/thread-director/thread-director-entry-view.ts'
import { captureInMemory } from '../../packages/core/thread-director/thread-director-memory-capture.ts'
import { directorOf } from '../../packages/core/thread-director/thread-director-memory-rows.ts'
import { isDeepStrictEqual } from 'node:util'
import { checkStream } from '../support/check-stream.ts'
import { brokenLimits } from '../support/limit-oracle.ts'
import { ofKind } from '../support/read-turns.ts'
import { brokenRequests } from '../support/request-oracle.ts'
import type { Activity } from './activity.ts'
import { brokenTools } from './broken-tools.ts'
import type { CountedTools } from './counted-tools.ts'
import type { Deeds } from './deeds.ts'
import { requireThread, type SimulatedHouse } from './house.ts'
import type { Plan } from './plan.ts'
import type { Waiting } from './waiting.ts'
import type { Watch } from './watch.ts'
import { LEASE_MS, RENEW_MS } from './worker.ts'

export interface Lived {
  readonly db: SimulatedHouse
  readonly deeds: Pick<Deeds, 'acknowledged'>
  readonly tools: CountedTools
  readonly activity: Activity
  readonly waiting: Waiting
  readonly watch: Watch
  readonly plan: Plan
}

/** Everything a house at rest breaks of the promises. */
export function findBroken(lived: Lived): readonly string[] {
  const { db, activity, waiting, watch, plan } = lived
  return [
    ...watch.found,
    ...waiting.found,
    ...activity.overlaps(marginOf(plan)),
    ...brokenTools(lived),
    ...db.threadIds.flatMap((id) => brokenIn(lived, id).map((one) => `${id} ${one}`)),
  ]
}

/** A holder that was taken over learns of it by its next renewal, and without an answer to that by its own clock. */
function marginOf({ network }: Plan): number {
  return network.lost > 0 ? LEASE_MS : RENEW_MS + 2 * network.slowMs
}

function brokenIn({ db, deeds, plan }: Lived, id: ThreadId): readonly string[] {
  const { entries } = requireThread(db.house, id)
  const decisions = ofKind(entries, 'signal.thread_director.decision').map(({ body }) => body)
  const outcomes = ofKind(entries, 'signal.thread_director.outcome').map(({ body }) => body)
  const captures = db.rosters.get(id) ?? []
  const told = { entries, decisions, outcomes, captures, capture: () => db.rosterOf(id) }
  return [
    ...checkStream(entries, {
      quiet: true,
      acknowledged: deeds.acknowledged.get(id) ?? [],
      asksAreHeard: !plan.modes.includes('never'),
    }),
    ...brokenRequests(told).map((one) => `I1: ${one}`),
    ...brokenLimits(told).map((one) => `I9: ${one}`),
    ...missedAt(entries),
    ...notRebuilt(db, id),
  ]
}

/** What stood there when a decision was made is covered by it. */
function missedAt(entries: readonly Entry[]): readonly string[] {
  return ofKind(entries, 'signal.thread_director.decision')
    .map(({ body }) => body)
    .flatMap(({ d, from, to, seen, rule }) => {
      const last = entries.findLast(({ seq, wakes }) => wakes && seq <= seen)?.seq ?? 0
      const covers = Math.max(from, last)
      return to === covers || rule === 'stopped'
        ? []
        : [`R-36: ${d} covers up to ${to}, not ${covers}`]
    })
}

/** The director's row is a cache: without it the same is read from the stream. */
function notRebuilt({ house }: SimulatedHouse, id: ThreadId): readonly string[] {
  const read = () => {
    const row = directorOf(house, id)
    if (row === undefined) throw new Error(`thread ${id} is gone`)
    const { decidedOffset, d, tail, lastDecision, lastOutcome } = captureInMemory(
      house,
      requireThread(house, id),
      row,
    )
    const capture = captureInMemory(house, requireThread(house, id), row)
    return { decidedOffset, d, tail, lastDecision, lastOutcome, owed: viewOf(capture).requests }
  }
  const before = read()
  house.directors.delete(id)
  return isDeepStrictEqual(before, read()) ? [] : ['I11: the row is not what the stream says']
}
