import { openDatabase } from '@arbe/core/db/open-db'
import { ofKind } from '../../test/support/read-turns.ts'
import { untilQuiet } from '../../test/support/until-quiet.ts'
import type { ChaosOrder, ChaosReport } from './chaos-order.ts'
import { type ChaosStage, setStage } from './chaos-stage.ts'
import { checkBooks, checkEffects, checkStreams } from './check-house.ts'
import { checkOverlaps } from './check-overlaps.ts'
import { comeToRest } from './come-to-rest.ts'
import { faultsFor, runFaults } from './faults.ts'
import { gaugeProcesses, type ProcessGauge } from './process-gauge.ts'

/**
 * Rounds of load under faults. After each of them all faults end, the house comes to rest, and its streams are checked; the first round
 * that finds something is the last. At the end everything is stopped in good order, and what no stream tells is checked too.
 */
export async function runStorm(order: ChaosOrder): Promise<ChaosReport> {
  await using stage = await setStage(order)
  const ended = new AbortController()
  const gauge = gaugeProcesses(stage.house.programs, ended.signal)
  const played = await playRounds(stage)
  const end = await endOf(stage)
  ended.abort()
  const broken = [...new Set([...played.broken, ...end])]
  return { broken, figures: { ...figuresOf(stage, played), ...roundAll(await gauge) } }
}

interface Played {
  readonly broken: readonly string[]
  readonly seconds: number
  readonly rounds: number
  readonly longestRestMs: number
  /** How often each kind of fault struck. */
  readonly struck: ReadonlyMap<string, number>
}

async function playRounds(stage: ChaosStage): Promise<Played> {
  const { order, random } = stage
  const begun = performance.now()
  const struck = new Map<string, number>()
  let broken: readonly string[] = []
  let longestRestMs = 0
  let left = order.forMs
  let rounds = 0
  while (left > 0 && broken.length === 0) {
    const ms = Math.min(left, random.between(order.roundMs / 4, order.roundMs))
    const times = await rage(stage, (rounds += 1), ms)
    for (const [kind, n] of times) struck.set(kind, (struck.get(kind) ?? 0) + n)
    left -= ms
    const rest = performance.now()
    const restless = await comeToRest(stage)
    longestRestMs = Math.max(longestRestMs, performance.now() - rest)
    broken = [...restless, ...checkRound(stage)]
  }
  const seconds = Math.round((performance.now() - begun) / 1_000)
  return { broken, seconds, rounds, longestRestMs: Math.round(longestRestMs), struck }
}

export async function rage(
  stage: ChaosStage,
  round: number,
  ms: number,
): Promise<ReadonlyMap<string, number>> {
  const random = stage.random.fork(`round-${round}`)
  const signal = AbortSignal.timeout(ms)
  signal.addEventListener('abort', () => stage.beCalm(true))
  stage.beCalm(false)
  const faults = faultsFor(stage.house, stage.order, { random, signal })
  const [struck] = await Promise.all([runFaults(faults, random, signal), stage.load.run(signal)])
  return struck
}

function checkRound(stage: ChaosStage): readonly string[] {
  const { house, load, logs, threads, order, provider } = stage
  const { leaseMs } = order
  const { calls } = provider
  return [
    ...load.refusals,
    ...house.programs.flatMap(({ complaints }) => complaints),
    ...checkStreams(logs, load.acks),
    ...checkOverlaps({ calls, threads, logs: logs.of, programs: house.programs, leaseMs }),
  ]
}

async function endOf(stage: ChaosStage): Promise<readonly string[]> {
  const { house, live, logs } = stage
  const found = [...(await live.differing()), ...(await logs.differing())]
  await house.close()
  found.push(...house.programs.flatMap(({ complaints }) => complaints))
  if (house.db !== undefined) return [...found, ...(await checkRows(stage, house.db))]
  const db = await openDatabase({ dataDir: house.dataDir })
  try {
    // Its rows can be looked at only now.
    await untilQuiet(db, 0)
    return [...found, ...(await checkRows(stage, db))]
  } catch (error) {
    return [...found, `I7: ${String(error)}`]
  } finally {
    await db.close()
  }
}

async function checkRows(
  { threads, logs, provider }: ChaosStage,
  db: Parameters<typeof checkEffects>[0],
): Promise<readonly string[]> {
  return [...(await checkEffects(db, logs)), ...(await checkBooks(db, threads, provider.calls))]
}

function figuresOf(
  { house, load, logs, provider }: ChaosStage,
  { seconds, rounds, longestRestMs, struck }: Played,
): ChaosReport['figures'] {
  const entries = [...logs.of.values()].flat()
  const outcomes = ofKind(entries, 'signal.thread_director.outcome').map(({ body }) => body.status)
  return {
    seconds,
    rounds,
    longestRestMs,
    ...Object.fromEntries(struck),
    starts: house.programs.reduce((sum, program) => sum + program.starts, 0),
    acknowledged: load.acks.length,
    sentAgain: load.retries,
    entries: entries.length,
    decisions: ofKind(entries, 'signal.thread_director.decision').length,
    turns: outcomes.length,
    interrupted: outcomes.filter((status) => status === 'interrupted').length,
    modelCalls: provider.calls.length,
  }
}

function roundAll(gauge: ProcessGauge): ChaosReport['figures'] {
  return Object.fromEntries(Object.entries(gauge).map(([name, n]) => [name, Math.round(n)]))
}
