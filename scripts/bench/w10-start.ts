import { prepareTemplate } from '@arbe/core/db/data-template'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { medianCpu } from '../../test/support/cpu-of-process.ts'
import { findPostgresFolder, startPostgresServer } from '../../test/support/postgres-server.ts'
import { launcher, type RunningArbe, startArbe } from '../../test/support/run-arbe.ts'
import { median } from './median.ts'
import type { Report } from './report.ts'

const ROUNDS = 7
const REST_MS = 10_000

/** From the call of `arbe start` to an answer of its `/healthz`, what it then takes of the memory, and what a client command costs. */
export async function run(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-w10-'))
  await reportTemplate(folder, report)
  await using server = findPostgresFolder() === undefined ? undefined : await startPostgresServer()
  await reportStarts(await placesOf(folder, server), report)
  reportClient(report)
  await rm(folder, { recursive: true })
}

async function reportTemplate(folder: string, report: Report): Promise<void> {
  const start = performance.now()
  await prepareTemplate(join(folder, 'templates'))
  const value = performance.now() - start
  report({ figure: 'making the template, where the installation did not', value, unit: 'ms' })
}

/** Where a house starts; each call of a first start names a place of its own. */
interface Place {
  readonly name: string
  readonly settings: () => Promise<Record<string, string>>
}

type Server = Awaited<ReturnType<typeof startPostgresServer>> | undefined

async function placesOf(folder: string, server: Server): Promise<readonly Place[]> {
  let n = 0
  const places: Place[] = [
    {
      name: 'embedded, first',
      settings: async () => ({ ARBE_DATA: join(folder, `first-${n++}`) }),
    },
    { name: 'embedded, warm', settings: async () => ({ ARBE_DATA: join(folder, 'warm') }) },
  ]
  if (server === undefined) return places
  const { url } = await server.createDatabase()
  const fresh = async () => ({ DATABASE_URL: (await server.createDatabase()).url })
  return [
    ...places,
    { name: 'Postgres, first', settings: fresh },
    { name: 'Postgres, warm', settings: async () => ({ DATABASE_URL: url }) },
  ]
}

async function reportStarts(places: readonly Place[], report: Report): Promise<void> {
  const bare: number[] = []
  const times = new Map<string, number[]>(places.map(({ name }) => [name, []]))
  // Interleaved, so that what else the machine does falls on all alike. The first round makes what the warm ones find.
  for (let round = -1; round < ROUNDS; round += 1) {
    const node = timeOfBareNode()
    if (round >= 0) bare.push(node)
    for (const { name, settings } of places) {
      const { house, ms } = await startHouse(await settings())
      if (round === ROUNDS - 1 && name.endsWith('warm')) await reportRest(name, house, report)
      await stop(house)
      if (round >= 0) times.get(name)?.push(ms)
    }
  }
  const ofBare = median(bare)
  report({ figure: 'bare node, start to exit', value: ofBare, unit: 'ms' })
  for (const [name, all] of times) {
    report({ figure: `${name}: start to healthz`, value: median(all), unit: 'ms' })
    report({
      figure: `${name}: start to healthz`,
      value: median(all) / ofBare,
      unit: '× bare node',
    })
  }
}

function timeOfBareNode(): number {
  const start = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - start
}

async function startHouse(settings: Record<string, string>) {
  const start = performance.now()
  const env = { HOME: tmpdir(), ARBE_PORT: '0', ...settings }
  const house = startArbe(['start', '--json'], env)
  const { url } = JSON.parse(await house.stdoutWith('\n'))
  const { status } = await fetch(`${url}/healthz`)
  if (status !== 200) throw new Error(`healthz answered ${status}`)
  return { house, ms: performance.now() - start }
}

async function reportRest(name: string, { child }: RunningArbe, report: Report): Promise<void> {
  await setTimeout(REST_MS)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const value = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024
  report({ figure: `${name}: memory after ${REST_MS / 1_000} s of rest`, value, unit: 'MiB' })
}

async function stop({ child }: RunningArbe): Promise<void> {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

function reportClient(report: Report): void {
  const ways = {
    node: ['-e', '0'],
    'arbe --help': [launcher, '--help'],
    'arbe bot ls, not logged in': [launcher, 'bot', 'ls'],
  }
  const { node, ...others } = medianCpu(ways, 21)
  report({ figure: 'bare node, processor time', value: node, unit: 'ms' })
  for (const [name, cpu] of Object.entries(others))
    report({ figure: `${name}, processor time`, value: cpu / node, unit: '× bare node' })
}
