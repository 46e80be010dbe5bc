import type { ArbeClient } from '@arbe/sdk/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from './support/cluster.ts'
import { type FollowedFeed, followAll } from './support/follow-all.ts'
import { brokenPromises } from './support/kept-promises.ts'
import { providerEnv } from './support/open-house.ts'
import { type PostgresServer, startPostgresServer } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { type Script, startScriptedProvider } from './support/scripted-provider.ts'
import { type SteadyLoad, startLoad } from './support/steady-load.ts'
import { untilQuiet } from './support/until-quiet.ts'

const RESTARTS = 10
const FASTER_THAN_A_CONNECTION_ATTEMPT_MS = 3_000

describe.skipIf(requireOrSkip('postgres'))('two page servers and two workers under load', () => {
  test(
    '[R-11][I1][I3][I5][I6] live through ten restarts of their Postgres, answer 503 at once meanwhile, and are back in a moment',
    { timeout: 240_000 },
    async () => {
      await using scene = await startScene()
      const { server, load } = scene
      const backAfter: number[] = []
      for (let n = 0; n < RESTARTS; n += 1) {
        await load.next('acknowledged', 20)
        await server.stop(n % 2 === 0 ? 'immediate' : 'fast')
        await load.next('refused', 5)
        await server.start()
        const up = performance.now()
        await load.next('acknowledged')
        backAfter.push(performance.now() - up)
      }
      await expectKept(scene)
      expect(Math.max(...backAfter)).toBeLessThan(10_000)
      console.log(`back after ${backAfter.map(Math.round).join(', ')} ms`)
    },
  )

  test(
    '[R-12][I1][I3][I5][I6] live through the end of any of their connections, many times a second',
    { timeout: 120_000 },
    async () => {
      await using scene = await startScene()
      await using killer = await connect(scene)
      let ended = 0
      for (let n = 0; n < 60; n += 1) {
        const { rowCount } = await killer.client.query(END_ONE)
        ended += rowCount ?? 0
        await sleep(100)
      }
      await expectKept(scene)
      expect(ended).toBeGreaterThan(40)
      console.log(`${ended} connections ended`)
    },
  )

  test(
    '[R-11][I1][I3][I5] answer 503 while others hold every place on their Postgres, keep their threads, and go on when there are places',
    { timeout: 120_000 },
    async () => {
      await using scene = await startScene({ maxConnections: 40 })
      await scene.load.next('acknowledged', 20)
      await using crowd = await takePlacesUntilRefused(scene)
      await scene.load.next('refused', 50)
      await crowd.leave()
      const left = performance.now()
      await scene.load.next('acknowledged')
      expect(performance.now() - left).toBeLessThan(10_000)
      await expectKept(scene)
    },
  )
})

const END_ONE = `
  select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'arbe' and pid <> pg_backend_pid() order by random() limit 1`

interface Scene extends AsyncDisposable {
  readonly server: PostgresServer
  readonly url: string
  readonly cluster: Cluster
  readonly client: ArbeClient
  readonly load: SteadyLoad
  readonly feed: FollowedFeed
}

async function startScene(options: { readonly maxConnections?: number } = {}): Promise<Scene> {
  await using starting = new AsyncDisposableStack()
  const server = starting.use(await startPostgresServer(options))
  const made = await server.createDatabase()
  const provider = starting.use(await startScriptedProvider(talkative))
  const env = {
    ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
    ARBE_LEASE_MS: '6000',
    ARBE_CHANGES_PER_SECOND: '100000',
  }
  const cluster = starting.use(await startCluster(['Mia'], env, { create: async () => made }))
  const [[client, other] = []] = cluster.people
  if (client === undefined || other === undefined) throw new Error('nobody is signed in')
  const feed = starting.use(await followAll(client))
  const threads = await makeThreads(client)
  const textOf = (number: number): string =>
    number % 2 === 0 ? `@ada and ${number}?` : `${number}`
  const load = startLoad([client, other], threads, { lanes: 4, pauseMs: 20, textOf })
  const running = starting.move()
  return {
    server,
    url: made.url,
    cluster,
    client,
    load,
    feed,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const talkative: Script = ({ tools, number }) =>
  tools.includes('decide')
    ? { delayMs: 20, toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'in turn' } }] }
    : { delayMs: 20, text: `It is ${number}.` }

async function makeThreads(client: ArbeClient): Promise<readonly string[]> {
  const bots = (await client.bots.list()).bots.map(({ id }) => id)
  const threads: string[] = []
  for (let n = 0; n < 4; n += 1) threads.push((await client.threads.create({ bots })).id)
  return threads
}

async function expectKept({ cluster, client, load, feed }: Scene): Promise<void> {
  await load.stop()
  await untilQuiet(cluster.db, 60_000)
  expect([...load.refusals]).toEqual(['503 not_ready'])
  expect(await brokenPromises(client, load.posted, feed)).toEqual([])
  expect(load.slowestRefusalMs).toBeLessThan(FASTER_THAN_A_CONNECTION_ATTEMPT_MS)
  const processes = [...cluster.www, ...cluster.workers]
  expect(processes.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(
    processes.map(() => null),
  )
  // What no door caught is told with these words.
  expect(processes.filter((one) => /nobody (?:waited|caught)/.test(one.stderr()))).toEqual([])
  console.log(
    `${load.posted.length} messages, slowest refusal ${Math.round(load.slowestRefusalMs)} ms`,
  )
}

async function connect({ url }: Pick<Scene, 'url'>) {
  const client = new Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** Takes each place that is free or becomes so, and frees those of the house, until requests of it are refused. */
async function takePlacesUntilRefused(scene: Scene) {
  const killer = await connect(scene)
  const crowd: Client[] = []
  const left = new AbortController()
  const crowding = (async () => {
    while (!left.signal.aborted) {
      const one = new Client({ connectionString: scene.url, application_name: 'crowd' })
      one.on('error', () => undefined)
      const isIn = await one.connect().then(
        () => true,
        () => false,
      )
      if (isIn) crowd.push(one)
      else await killer.client.query(END_ONE)
    }
  })()
  const leave = async (): Promise<void> => {
    left.abort()
    await crowding
    await Promise.all(crowd.splice(0).map((one) => one.end()))
  }
  await scene.load.next('refused')
  return {
    leave,
    async [Symbol.asyncDispose]() {
      await leave()
      await killer[Symbol.asyncDispose]()
    },
  }
}
