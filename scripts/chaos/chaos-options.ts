import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ChaosOrder, FAULT_KINDS, type FaultKind } from './chaos-order.ts'
import { PLANT_NAMES, type PlantName, PLANTS } from './plants.ts'

export const HELP = `npm run chaos -- [storm | appends | reopens] [options]

Starts a house as it is really started, lets people and bots talk, breaks things meanwhile, and then reads
from the streams whether anything was lost or done twice. Ends with 0 and one line of JSON, or with 1, what
broke, the seed, and where the logs are.

  storm     everything at once: the default
  appends   clients that append, hang up and send again while page servers are killed, the sweep off
  reopens   an embedded house that is killed at any moment, also while its first database is made

  --minutes N     storm: how long there are faults (1)
  --seed S        which faults, which replies of the model, which load (1)
  --engine E      postgres: two page servers and workers on a server of their own; pglite: one process (postgres)
  --workers N     backstages on Postgres, 2 to 4 (3)
  --threads N     (20)
  --bots N        (5)
  --faults A,B    ${FAULT_KINDS.join(', ')} (all that the engine has)
  --every A-B     milliseconds from one kill to the next (200-2000)
  --round S       seconds, at most, until all faults end and everything is checked (20)
  --lease MS      (4000)
  --clients N     appends: of 50 messages each (200)
  --kills N       appends, reopens: (50, 200)
  --plant NAME    storm: breaks a rule of arbe on purpose; the run is to end with 1
                  ${PLANT_NAMES.join(', ')}
`

export class WrongOption extends Error {
  override readonly name = 'WrongOption'
}

const FORMS = ['storm', 'appends', 'reopens'] as const

export interface ChaosCommand {
  readonly form: (typeof FORMS)[number]
  readonly order: ChaosOrder
  readonly clients: number
  readonly kills: number
}

/** Undefined: help was asked for. */
export function readChaosOptions(args: readonly string[]): ChaosCommand | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  })
  if (values.help) return undefined
  const form = oneOf('form', FORMS, positionals[0] ?? 'storm')
  const kills = whole('kills', values.kills ?? (form === 'appends' ? '50' : '200'))
  return { form, order: readOrder(values), clients: whole('clients', values.clients), kills }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

function readOrder(values: Values): ChaosOrder {
  const plant = values.plant === undefined ? undefined : plantNamed(values.plant)
  const engine = oneOf('engine', ['postgres', 'pglite'] as const, values.engine)
  if (engine === 'pglite' && plant !== undefined && PLANTS[plant].sql.length > 0)
    throw new WrongOption(`${plant} is planted in a server: it needs --engine postgres`)
  return defaultOrder({
    seed: whole('seed', values.seed),
    engine,
    plant,
    forMs: Math.round(Number(values.minutes) * 60_000),
    roundMs: whole('round', values.round) * 1_000,
    workers: whole('workers', values.workers),
    threads: whole('threads', values.threads),
    bots: whole('bots', values.bots),
    leaseMs: whole('lease', values.lease),
    every: rangeOf(values.every),
    ...(values.faults !== undefined && { faults: faultsNamed(values.faults) }),
  })
}

/** The storm that is meant when nothing else is said. */
export function defaultOrder(said: Partial<ChaosOrder>): ChaosOrder {
  const plant = said.plant === undefined ? undefined : PLANTS[said.plant]
  return {
    seed: 1,
    forMs: 60_000,
    roundMs: 20_000,
    restMs: 90_000,
    engine: 'postgres',
    workers: 3,
    pages: 2,
    threads: 20,
    bots: 5,
    leaseMs: 4_000,
    modelIdleMs: 3_000,
    sweepMs: plant?.sweep === 'off' ? 'off' : 5_000,
    faults: FAULT_KINDS,
    every: [200, 2_000],
    plant: undefined,
    folder: mkdtempSync(join(tmpdir(), 'arbe-chaos-')),
    ...said,
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  minutes: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  engine: { type: 'string', default: 'postgres' },
  workers: { type: 'string', default: '3' },
  threads: { type: 'string', default: '20' },
  bots: { type: 'string', default: '5' },
  faults: { type: 'string' },
  every: { type: 'string', default: '200-2000' },
  round: { type: 'string', default: '20' },
  lease: { type: 'string', default: '4000' },
  clients: { type: 'string', default: '200' },
  kills: { type: 'string' },
  plant: { type: 'string' },
} as const

function whole(name: string, text: string): number {
  if (!/^\d+$/.test(text))
    throw new WrongOption(`--${name} must be a whole number, and is "${text}"`)
  return Number(text)
}

function rangeOf(text: string): readonly [number, number] {
  const [, low, high] = /^(\d+)-(\d+)$/.exec(text) ?? []
  if (low === undefined || high === undefined)
    throw new WrongOption(`--every must be two numbers like 200-2000, and is "${text}"`)
  return [Number(low), Number(high)]
}

function oneOf<Name extends string>(option: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text)
  if (found === undefined)
    throw new WrongOption(`--${option} is one of ${names.join(', ')}, and not "${text}"`)
  return found
}

function faultsNamed(text: string): readonly FaultKind[] {
  return text.split(',').map((name) => oneOf('faults', FAULT_KINDS, name))
}

function plantNamed(text: string): PlantName {
  return oneOf('plant', PLANT_NAMES, text)
}
