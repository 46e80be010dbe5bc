import type { ArbeClient } from '@arbe/sdk/client'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { followAll } from './support/follow-all.ts'
import { brokenPromises } from './support/kept-promises.ts'
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
      const { disk, client } = house
      const threads = [await newThread(house.client), await newThread(house.client)]
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
      expect(disk.child.exitCode).toBeNull()
    },
  )
})

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
