import type { Database } from '@arbe/core/db/executor'
import { setTimeout } from 'node:timers/promises'
import type { PostgresServer } from '../../test/support/postgres-server.ts'
import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { ChaosHouse } from './chaos-house.ts'
import type { ChaosOrder, FaultKind } from './chaos-order.ts'

/** Strikes again and again; leaves nothing broken behind when the signal aborts. */
interface Fault {
  readonly kind: FaultKind
  readonly everyMs: readonly [number, number]
  readonly strike: () => Promise<void>
}

/** Until the signal aborts; each kind goes its own way, so that one more changes nothing of the others. Answers how often each struck. */
export async function runFaults(
  faults: readonly Fault[],
  random: SeededRandom,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const struck = new Map<string, number>()
  await Promise.all(
    faults.map(async ({ kind, everyMs, strike }) => {
      const own = random.fork(kind)
      while (await pause(own.between(...everyMs), signal)) {
        await strike()
        struck.set(kind, (struck.get(kind) ?? 0) + 1)
      }
    }),
  )
  return struck
}

export function faultsFor(
  house: ChaosHouse,
  order: ChaosOrder,
  { random, signal }: { readonly random: SeededRandom; readonly signal: AbortSignal },
): readonly Fault[] {
  const { server, db } = house
  const lease = order.leaseMs
  const all: readonly (Fault | undefined)[] = [
    { kind: 'kill', everyMs: order.every, strike: kill(house, random.fork('kill')) },
    {
      kind: 'stop',
      everyMs: [lease / 2, lease * 2],
      strike: standStill(house, { random: random.fork('stop'), signal, ms: 2 * lease }),
    },
    server && { kind: 'postgres', everyMs: [5_000, 15_000], strike: restart(server, random) },
    db && { kind: 'backend', everyMs: [100, 300], strike: () => endConnection(db) },
    server && {
      kind: 'proxy',
      everyMs: [1_000, 2 * lease],
      strike: cutFromDatabase(house, { random: random.fork('proxy'), signal, ms: 1.5 * lease }),
    },
  ]
  return all.filter((one) => one !== undefined).filter(({ kind }) => order.faults.includes(kind))
}

/** False when the signal came first. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined)
  return !signal.aborted
}

interface Spell {
  readonly random: SeededRandom
  readonly signal: AbortSignal
  readonly ms: number
}

function kill({ programs }: ChaosHouse, random: SeededRandom): Fault['strike'] {
  return async () => random.pick(programs).kill()
}

/** One at a time, a worker rather than a page: a lease is lost, and its holder does not know it. */
function standStill({ programs }: ChaosHouse, { random, signal, ms }: Spell): Fault['strike'] {
  return async () => {
    const program = random.pick(programs)
    const { pid } = program
    program.standStill(true)
    await pause(ms, signal)
    // Killed meanwhile: there is another one now, which stands on its own feet.
    if (program.pid === pid) program.standStill(false)
  }
}

function restart(server: PostgresServer, random: SeededRandom): Fault['strike'] {
  const own = random.fork('postgres')
  return async () => {
    await server.stop(own.chance(0.5) ? 'immediate' : 'fast')
    await setTimeout(own.between(0, 2_000))
    await server.start()
  }
}

/** Some connection of arbe's, whatever it is at. */
async function endConnection(db: Database): Promise<void> {
  const other = `
    select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'arbe' order by random() limit 1`
  // The server may be away itself.
  await db.query(other).catch(() => undefined)
}

/** One process loses the database and nothing else: its model talks on. Half the time the connections are cut, half the time they fall silent. */
function cutFromDatabase({ programs }: ChaosHouse, { random, signal, ms }: Spell): Fault['strike'] {
  return async () => {
    const { database } = random.pick(programs)
    database?.become(random.chance(0.5) ? 'shut' : 'silent')
    await pause(ms, signal)
    database?.become('open')
  }
}
