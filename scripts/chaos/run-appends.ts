import type { ArbeClient } from '@arbe/sdk/client'
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { seededRandom, type SeededRandom } from '../../test/support/seeded-random.ts'
import { untilQuiet } from '../../test/support/until-quiet.ts'
import { type ChaosHouse, startChaosHouse } from './chaos-house.ts'
import type { Ack } from './chaos-load.ts'
import type { ChaosOrder, ChaosReport } from './chaos-order.ts'
import { startChaosProvider } from './chaos-provider.ts'
import { checkStreams } from './check-house.ts'
import { fairWeather } from './weathers.ts'
import { insist } from './insist.ts'
import { threadLogs } from './thread-logs.ts'

export interface AppendsOrder {
  readonly storm: ChaosOrder
  readonly clients: number
  readonly each: number
  /** How often a page server is killed meanwhile. */
  readonly kills: number
}

const THREADS = 10

/**
 * Many clients append at once, every fifth of them hangs up after it has sent and sends again under its key, and page servers are
 * killed. The sweep is off: a message whose wake got lost would stay undecided.
 */
export async function runAppends(order: AppendsOrder): Promise<ChaosReport> {
  const random = seededRandom(order.storm.seed)
  await using provider = await startChaosProvider(random)
  await using house = await startChaosHouse(order.storm, {
    providerPort: provider.port,
    weathers: fairWeather,
  })
  const threads = await emptyThreads(house)
  const begun = performance.now()
  const over = new AbortController()
  const killing = killPages(house, order, { random: random.fork('kill'), signal: over.signal })
  const acks = await appendAll(house, order, { random, threads })
  over.abort()
  const kills = await killing
  const ms = performance.now() - begun
  const broken: string[] = []
  if (house.db !== undefined)
    await untilQuiet(house.db, order.storm.restMs, { sweeps: false }).catch((error: unknown) =>
      broken.push(`I7: ${String(error)}`),
    )
  const logs = threadLogs(
    house.readers,
    threads.map((id, number) => ({ id, number })),
  )
  await logs.readOn()
  broken.push(...checkStreams(logs, acks), ...(await logs.differing()))
  const chats = [...logs.of.values()].flat().filter(({ kind }) => kind === 'chat').length
  const expected = order.clients * order.each
  if (chats !== expected) broken.push(`I5: ${chats} messages stand there instead of ${expected}`)
  await house.close()
  broken.push(...house.programs.flatMap(({ complaints }) => complaints))
  const perSecond = Math.round((expected * 1_000) / ms)
  return { broken, figures: { messages: chats, kills, perSecond, seconds: Math.round(ms / 1_000) } }
}

/** Without bots: each message is decided at once, for nobody. */
async function emptyThreads({ readers: [client], people }: ChaosHouse): Promise<readonly string[]> {
  if (client === undefined) throw new Error('a house without a page')
  const ids = (await client.people()).people.map(({ id }) => id).slice(0, people.length)
  const made: string[] = []
  for (let n = 0; n < THREADS; n += 1)
    made.push((await client.threads.create({ people: ids, bots: [] })).id)
  return made
}

interface Work {
  readonly random: SeededRandom
  readonly threads: readonly string[]
}

async function appendAll(
  house: ChaosHouse,
  { clients, each }: AppendsOrder,
  { random, threads }: Work,
): Promise<readonly Ack[]> {
  const acks: Ack[] = []
  const one = async (number: number): Promise<void> => {
    const own = random.fork(`client-${number}`)
    const person = number % house.people.length
    for (let n = 0; n < each; n += 1) {
      const threadId = own.pick(threads)
      const key = `key-${number}-${n}`
      const input = { kind: 'chat', text: `message ${n} of client ${number}` } as const
      if (n % 5 === 4) await sendAndHangUp(house, { threadId, key, input, person })
      const to: readonly ArbeClient[] = house.people[person] ?? []
      const seq = await insist(own, async () => {
        return (await own.pick(to).threads.append(threadId, input, key)).seq
      })
      acks.push({ threadId, person, key, seq, input })
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => one(number)))
  return acks
}

/** The request is out, and nobody waits for what becomes of it. */
async function sendAndHangUp(
  { fronts, tokens }: ChaosHouse,
  { threadId, key, input, person }: Omit<Ack, 'seq'>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent = request(`${fronts[person % fronts.length]}/v1/threads/${threadId}/entries`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${tokens[person]}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
  })
  sent.on('error', () => resolve()).on('close', resolve)
  sent.end(JSON.stringify(input), () => setImmediate(() => sent.destroy()))
  await promise
}

async function killPages(
  { programs }: ChaosHouse,
  { kills, storm }: AppendsOrder,
  { random, signal }: { readonly random: SeededRandom; readonly signal: AbortSignal },
): Promise<number> {
  const pages = programs.filter(({ name }) => name.startsWith('www'))
  for (let n = 0; n < kills; n += 1) {
    await setTimeout(random.between(...storm.every), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return n
    random.pick(pages).kill()
  }
  return kills
}
