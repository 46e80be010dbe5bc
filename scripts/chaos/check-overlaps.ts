import type { Entry } from '@arbe/sdk'
import { ofKind } from '../../test/support/read-turns.ts'
import type { ChaosThread } from './chaos-load.ts'
import type { ProviderCall } from './chaos-provider.ts'
import type { SupervisedProgram } from './supervised-program.ts'

export interface Overlaps {
  readonly calls: readonly ProviderCall[]
  readonly threads: readonly ChaosThread[]
  readonly logs: ReadonlyMap<string, readonly Entry[]>
  readonly programs: readonly Pick<SupervisedProgram, 'name' | 'standstills'>[]
  readonly leaseMs: number
}

/**
 * Two calls of one thread that ran at once for longer than a heartbeat. Who is stopped by somebody may not hear of it before its own
 * deadline, when its database is away: so for a lease after a Stop nothing is held against it.
 */
export function checkOverlaps({ calls, threads, logs, programs, leaseMs }: Overlaps) {
  const stands = new Map(programs.map(({ name, standstills }) => [name, standstills]))
  return threads.flatMap(({ id, number }) => {
    const stops = ofKind(logs.get(id) ?? [], 'thread.stop').map(({ createdAt }) =>
      Date.parse(createdAt),
    )
    const own = calls
      .filter(({ thread }) => thread === number)
      .toSorted((a, b) => a.startedAt - b.startedAt)
    return own.flatMap((later, index) => {
      const isStopped = stops.some(
        (at) => at <= later.startedAt && at > later.startedAt - 2 * leaseMs,
      )
      if (isStopped) return []
      return own
        .slice(Math.max(0, index - 8), index)
        .map((earlier) => ({ earlier, ms: together(earlier, later, stands) }))
        .filter(({ ms }) => ms > leaseMs / 3)
        .map(
          ({ earlier, ms }) =>
            `${id} I2: ${earlier.program} and ${later.program} asked at once for ${Math.round(ms)} ms`,
        )
    })
  })
}

/** While the first stands still its open connection says nothing. */
function together(
  earlier: ProviderCall,
  later: ProviderCall,
  stands: ReadonlyMap<string, SupervisedProgram['standstills']>,
): number {
  const stand = stands
    .get(earlier.program)
    ?.find(({ from, until }) => from <= later.startedAt && until > later.startedAt)
  const from = stand === undefined ? later.startedAt : stand.until
  return Math.min(earlier.endedAt ?? Infinity, later.endedAt ?? Infinity) - from
}
