import type { ArbeClient } from '@arbe/sdk/client'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCluster } from './support/cluster.ts'
import { followAll } from './support/follow-all.ts'
import { brokenPromises } from './support/kept-promises.ts'
import { startPostgresOnSmallDisk } from './support/postgres-on-small-disk.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { requireOrSkip } from './support/require.ts'
import { launcher, watchArbe } from './support/run-arbe.ts'
import { signIn } from './support/sign-in.ts'
import { type OnSmallDisk, placeForDisk, startOnSmallDisk } from './support/small-disk.ts'
import { startLoad } from './support/steady-load.ts'

const MIB = 1024 * 1024
const DISK = 200 * MIB

describe.skipIf(requireOrSkip('sandbox'))('a disk without room', () => {
  test.each([
    { what: 'tables', leave: 2 * MIB },
    // A next segment of it takes 16 MiB: the engine inside breaks, and another one takes its place.
    { what: 'log', leave: 14 * MIB },
  ])(
    '[R-07][I5] an embedded house without room for its $what says 503, lives, and goes on by itself when there is some',
    { timeout: 120_000 },
    async ({ leave }) => {
      await using house = await startEmbedded()
      await expectRecovery(house, leave)
      expect(house.disk.child.exitCode).toBeNull()
    },
  )

  test.skipIf(requireOrSkip('postgres')).each([
    { what: 'tables', leave: 2 * MIB },
    { what: 'log', leave: 5 * MIB },
  ])(
    '[R-07][I5] page server and worker beside a Postgres without room for its $what live, and go on by themselves when there is some',
    { timeout: 120_000 },
    async ({ leave }) => {
      await using server = await startPostgresOnSmallDisk(DISK)
      const env = { ARBE_CHANGES_PER_SECOND: '100000' }
      const create = (): Promise<TestDatabase> => server.createDatabase()
      await using cluster = await startCluster(['Mia'], env, { create })
      const [[client] = []] = cluster.people
      if (client === undefined) throw new Error('nobody is signed in')
      await expectRecovery({ disk: server.disk, client }, leave)
      const ends = [...cluster.www, ...cluster.workers].map(
        ({ child }) => child.exitCode ?? child.signalCode,
      )
      expect(ends).toEqual([null, null, null, null])
    },
  )
})

/** Fills the disk under load and frees it again. */
async function expectRecovery(
  { disk, client }: Pick<EmbeddedHouse, 'disk' | 'client'>,
  leave: number,
): Promise<void> {
  const threads = [await newThread(client), await newThread(client)]
  await using feed = await followAll(client)
  const load = startLoad([client], threads, { lanes: 4, pauseMs: 0, textOf: incompressible })
  await load.next('acknowledged')
  disk.fill(leave)
  await load.next('refused', 200)
  disk.free()
  const freed = performance.now()
  await load.next('acknowledged')
  const backAfterMs = performance.now() - freed
  await load.stop()

  expect([...load.refusals]).toEqual(['503 not_ready'])
  expect(await brokenPromises(client, load.posted, feed)).toEqual([])
  expect(backAfterMs).toBeLessThan(10_000)
  console.log(`${load.posted.length} messages, back after ${Math.round(backAfterMs)} ms`)
}

async function newThread(client: ArbeClient): Promise<string> {
  const { bots } = await client.bots.list()
  return (await client.threads.create({ bots: bots.map(({ id }) => id) })).id
}

/** Nothing in it that the engine could store in less room. */
function incompressible(number: number): string {
  return `${number} ${randomBytes(8_000).toString('hex')}`
}

interface EmbeddedHouse extends AsyncDisposable {
  readonly disk: OnSmallDisk
  readonly client: ArbeClient
}

async function startEmbedded(): Promise<EmbeddedHouse> {
  await using starting = new AsyncDisposableStack()
  const place = placeForDisk()
  starting.defer(place.remove)
  const args = ['start', '--port', '0', '--data', join(place.folder, 'house'), '--json']
  const disk = await startOnSmallDisk({
    bytes: DISK,
    folder: place.folder,
    command: [process.execPath, launcher, ...args],
    env: { PATH: process.env['PATH'], HOME: place.folder, ARBE_CHANGES_PER_SECOND: '100000' },
  })
  const arbe = watchArbe(disk.child, args)
  starting.defer(async () => {
    disk.child.kill('SIGKILL')
    await arbe.ended
  })
  const { ownerLink } = JSON.parse(await arbe.stdoutWith('\n'))
  const { client } = await signIn(ownerLink, 'Mia')
  const running = starting.move()
  return { disk, client, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
