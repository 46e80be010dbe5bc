import type { ArbeClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { findPostgresFolder } from '../../test/support/postgres-server.ts'
import {
  type ScriptedProvider,
  type ScriptedRequest,
  startScriptedProvider,
} from '../../test/support/scripted-provider.ts'
import { type ChaosHouse, startChaosHouse } from '../chaos/chaos-house.ts'
import { defaultOrder } from '../chaos/chaos-options.ts'
import { fairWeather } from '../chaos/weathers.ts'
import { median } from './median.ts'
import type { Report } from './report.ts'

const ROUNDS = 5

/** From the kill of a worker in the middle of an answer until another one asks the model, and from a server that is back until a message is stored. */
export async function run(report: Report): Promise<void> {
  if (findPostgresFolder() === undefined) return
  const folder = await mkdtemp(join(tmpdir(), 'arbe-w9-'))
  // The first answer to each message lasts for ever, so that its worker is surely at work.
  const asked = new Map<string, ScriptedRequest[]>()
  await using provider = await startScriptedProvider((request) => {
    const name = /message-\d+/.exec(request.text.slice(request.text.lastIndexOf('message-')))?.[0]
    const all = [...(asked.get(name ?? '') ?? []), request]
    asked.set(name ?? '', all)
    return all.length === 1 ? { text: 'on', silent: true } : { text: 'done' }
  })
  const said = {
    folder,
    workers: 2,
    pages: 1,
    leaseMs: 12_000,
    sweepMs: 30_000,
    modelIdleMs: 60_000,
  } as const
  await using house = await startChaosHouse(defaultOrder(said), {
    providerPort: portOf(provider),
    weathers: fairWeather,
  })
  const [client] = house.readers
  if (client === undefined) throw new Error('a house without a page')
  reportAll(
    report,
    'worker killed, until the thread moves on',
    await afterKills(house, client, asked),
  )
  reportAll(report, 'Postgres back, until a message is stored', await afterRestarts(house, client))
  await house.close()
  await rm(folder, { recursive: true })
}

function portOf({ anthropicBaseUrl }: ScriptedProvider): number {
  return Number(new URL(anthropicBaseUrl).port)
}

async function afterKills(
  { programs }: ChaosHouse,
  client: ArbeClient,
  asked: ReadonlyMap<string, readonly ScriptedRequest[]>,
): Promise<readonly number[]> {
  const bots = (await client.bots.list()).bots.map(({ id }) => id)
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    const name = `message-${n}`
    const { id } = await client.threads.create({ people: [], bots })
    await client.threads.append(id, { kind: 'chat', text: `@ada ${name}` })
    const [first] = await until(() => asked.get(name))
    // At any moment between two renewals.
    await setTimeout(n * 900)
    const start = performance.now()
    programs.find((program) => first?.path.startsWith(`/${program.name}/`))?.kill()
    await until(() => asked.get(name)?.slice(1))
    times.push(performance.now() - start)
  }
  return times
}

async function afterRestarts(
  { server }: ChaosHouse,
  client: ArbeClient,
): Promise<readonly number[]> {
  const { id } = await client.threads.create({ people: [], bots: [] })
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    await server?.stop('immediate')
    const sending = keepSending(client, id)
    await setTimeout(3_000)
    await server?.start()
    const start = performance.now()
    await sending
    times.push(performance.now() - start)
  }
  return times
}

async function keepSending(client: ArbeClient, id: string): Promise<void> {
  const key = crypto.randomUUID()
  for (;;) {
    try {
      await client.threads.append(id, { kind: 'chat', text: 'still there?' }, key)
      return
    } catch {
      await setTimeout(50)
    }
  }
}

async function until<Item>(look: () => readonly Item[] | undefined): Promise<readonly Item[]> {
  for (;;) {
    const found = look()
    if (found !== undefined && found.length > 0) return found
    await setTimeout(10)
  }
}

function reportAll(report: Report, figure: string, times: readonly number[]): void {
  report({ figure: `${figure}, median`, value: median(times) / 1_000, unit: 's' })
  report({ figure: `${figure}, slowest`, value: Math.max(...times) / 1_000, unit: 's' })
}
