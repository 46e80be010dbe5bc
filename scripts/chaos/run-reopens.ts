import { prepareTemplate } from '@arbe/core/db/data-template'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readMigrations } from '../../packages/core/db/migrate.ts'
import { openPglite } from '../../packages/core/db/pglite-db.ts'
import { freePort } from '../../test/support/postgres-server.ts'
import { startArbe } from '../../test/support/run-arbe.ts'
import { seededRandom, type SeededRandom } from '../../test/support/seeded-random.ts'
import { type ChaosHouse, startChaosHouse } from './chaos-house.ts'
import type { Ack } from './chaos-load.ts'
import type { ChaosOrder, ChaosReport } from './chaos-order.ts'
import { startChaosProvider } from './chaos-provider.ts'
import { checkStreams } from './check-house.ts'
import { untilStill } from './come-to-rest.ts'
import { fairWeather } from './weathers.ts'
import { insist } from './insist.ts'
import { threadLogs } from './thread-logs.ts'

export interface ReopensOrder {
  /** On the embedded engine. */
  readonly storm: ChaosOrder
  /** Kills while an empty database is made, while a house starts on an empty folder, and at work. */
  readonly templates: number
  readonly firstStarts: number
  readonly kills: number
}

/** An embedded house is killed at any moment from its very first; each time it opens again with all that it acknowledged. */
export async function runReopens(order: ReopensOrder): Promise<ChaosReport> {
  const random = seededRandom(order.storm.seed)
  const broken = [
    ...(await killTemplates(order, random.fork('template'))),
    ...(await killFirstStarts(order, random.fork('first'))),
  ]
  const { acks, lost } = await killAtWork(order, random)
  const { templates, firstStarts, kills } = order
  return {
    broken: [...broken, ...lost],
    figures: { templates, firstStarts, kills, acknowledged: acks },
  }
}

/** Making the first database takes seconds: init and all migrations. Whoever comes next makes a whole one. */
export async function killTemplates(
  { templates, storm: { folder } }: Pick<ReopensOrder, 'templates' | 'storm'>,
  random: SeededRandom,
): Promise<readonly string[]> {
  const cache = join(folder, 'templates')
  for (let n = 0; n < templates; n += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'make-template.ts'), cache])
    await setTimeout(random.between(300, 4_000))
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
  // Opened as it is: a house would bring up to date what it finds.
  const db = await openPglite(await prepareTemplate(cache)).catch(String)
  if (typeof db === 'string') return [`R-50: the template does not open: ${db}`]
  const [row] = await db.query<{ n: number }>(`
    select count(*)::int as n from migrations where to_regclass('entries') is not null`)
  await db.close()
  const missing = (await readMigrations()).length - (row?.n ?? 0)
  return missing === 0 ? [] : [`R-50: ${missing} migrations of the template are missing`]
}

/** Each on a folder of its own: the start after the kill serves, and lets its owner in. */
async function killFirstStarts(
  { firstStarts, storm: { folder } }: ReopensOrder,
  random: SeededRandom,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let n = 0; n < firstStarts; n += 1) {
    const data = join(folder, `first-${n}`)
    const args = ['start', '--json', '--data', data, '--port', String(await freePort())]
    const killed = startArbe(args, { HOME: folder })
    const ms = random.between(100, 2_000)
    await setTimeout(ms)
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = startArbe(args, { HOME: folder })
    const greeting = await next.stdoutWith('\n').catch((error: unknown) => String(error))
    next.child.kill('SIGKILL')
    await next.ended
    if (!greeting.includes('/join/'))
      found.push(`R-50: killed after ${ms} ms, a first start left what does not open: ${greeting}`)
    await rm(data, { recursive: true, force: true })
  }
  return found
}

async function killAtWork(
  { kills, storm }: ReopensOrder,
  random: SeededRandom,
): Promise<{ readonly acks: number; readonly lost: readonly string[] }> {
  await using provider = await startChaosProvider(random.fork('provider'))
  await using house = await startChaosHouse(storm, {
    providerPort: provider.port,
    weathers: fairWeather,
  })
  provider.beCalm(true)
  const thread = { id: await oneThread(house), number: 1 }
  const over = new AbortController()
  const acks: Ack[] = []
  const posting = post(
    house,
    { id: thread.id, acks },
    { random: random.fork('post'), over: over.signal },
  )
  for (let n = 0; n < kills; n += 1) {
    // Every second one has served again, so that there is something to lose; the others die wherever they are.
    const before = acks.length
    if (n % 2 === 0) while (acks.length === before) await setTimeout(20)
    await setTimeout(random.between(...storm.every))
    house.programs[0]?.kill()
  }
  over.abort()
  await posting
  const logs = threadLogs(house.readers, [thread])
  const lost: string[] = []
  await untilStill(logs, storm.restMs).catch((error: unknown) => lost.push(`I7: ${String(error)}`))
  lost.push(...checkStreams(logs, acks))
  await house.close()
  lost.push(...house.programs.flatMap(({ complaints }) => complaints))
  return { acks: acks.length, lost }
}

async function oneThread({ readers: [client] }: ChaosHouse): Promise<string> {
  const people = (await client?.people())?.people.map(({ id }) => id) ?? []
  const bots = (await client?.bots.list())?.bots.map(({ id }) => id) ?? []
  const made = await client?.threads.create({ people, bots })
  return made?.id ?? ''
}

async function post(
  { people: [clients = []] }: ChaosHouse,
  { id, acks }: { readonly id: string; readonly acks: Ack[] },
  { random, over }: { readonly random: SeededRandom; readonly over: AbortSignal },
): Promise<void> {
  for (let n = 0; !over.aborted; n += 1) {
    const key = `key-${n}`
    const input = { kind: 'chat', text: `#t1 ${random.pick(['so', '@ada', '@bo'])} ${n}` } as const
    const seq = await insist(random, async () => {
      return (await random.pick(clients).threads.append(id, input, key)).seq
    })
    acks.push({ threadId: id, person: 0, key, seq, input })
    await setTimeout(random.between(0, 60))
  }
}
