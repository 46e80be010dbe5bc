import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChaosHouse } from '../scripts/chaos/chaos-house.ts'
import { defaultOrder } from '../scripts/chaos/chaos-options.ts'
import type { ChaosOrder } from '../scripts/chaos/chaos-order.ts'
import { type ChaosStage, setStage } from '../scripts/chaos/chaos-stage.ts'
import { checkStreams } from '../scripts/chaos/check-house.ts'
import { comeToRest } from '../scripts/chaos/come-to-rest.ts'
import { fairWeather } from '../scripts/chaos/weathers.ts'
import { sampleOf } from '../scripts/chaos/process-gauge.ts'
import { runAppends } from '../scripts/chaos/run-appends.ts'
import { killTemplates } from '../scripts/chaos/run-reopens.ts'
import { rage, runStorm } from '../scripts/chaos/run-storm.ts'
import { checkStream } from './support/check-stream.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import { seededRandom } from './support/seeded-random.ts'
import { type ScriptedReply, startScriptedProvider } from './support/scripted-provider.ts'
import { untilQuiet } from './support/until-quiet.ts'

// The short forms of `npm run chaos`, see docs/reliability.md.

const TIMEOUT = 240_000

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbe-chaos-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const order = (said: Partial<ChaosOrder>): ChaosOrder =>
  defaultOrder({ threads: 8, folder, ...said })

describe.skipIf(requireOrSkip('postgres'))('processes on one Postgres', () => {
  test(
    '[R-23][R-11][R-12][R-56][I1][I2][I3][I4][I5][I6][I8][I9][D4] keep every promise while they are killed, stopped, cut off, and lose the server',
    { timeout: TIMEOUT },
    async () => {
      const { broken, figures } = await runStorm(order({ forMs: 15_000, roundMs: 15_000 }))
      console.log(JSON.stringify(figures))
      expect(broken).toEqual([])
    },
  )

  test(
    '[R-01][R-04] store each message once, in order and with its wake, though clients hang up and page servers are killed',
    { timeout: TIMEOUT },
    async () => {
      const storm = order({ workers: 2, sweepMs: 'off', every: [300, 1_000] })
      const { broken, figures } = await runAppends({ storm, clients: 40, each: 10, kills: 3 })
      console.log(JSON.stringify(figures))
      expect(broken).toEqual([])
      expect(figures).toMatchObject({ messages: 400 })
    },
  )

  test.each(['silent', 'shut'] as const)(
    '[R-20][I2][I4] a worker whose database alone is %s ends its turn by its own clock, and another one finishes it',
    { timeout: TIMEOUT },
    async (state) => {
      const calls: Call[] = []
      const long: ScriptedReply = { text: 'on and '.repeat(600), beforeWord: () => setTimeout(50) }
      await using provider = await startScriptedProvider(
        ({ path, number }) => {
          calls[number - 1] = { program: path.split('/')[1] ?? '', startedAt: Date.now() }
          return number === 1 ? long : { text: 'done' }
        },
        {
          onEnded: ({ number }) => Object.assign(calls[number - 1] ?? {}, { endedAt: Date.now() }),
        },
      )
      const said = order({ workers: 2, pages: 1, leaseMs: 6_000, sweepMs: 'off' })
      const providerPort = Number(new URL(provider.anthropicBaseUrl).port)
      await using house = await startChaosHouse(said, { providerPort, weathers: fairWeather })
      const { db, programs, readers } = house
      const [client] = readers
      if (db === undefined || client === undefined) throw new Error('a house without a page')
      const bots = (await client.bots.list()).bots.map(({ id }) => id)
      const { id } = await client.threads.create({ people: [], bots })
      await client.threads.append(id, { kind: 'chat', text: '@ada go on' })
      await expect.poll(() => calls.length, { timeout: 30_000 }).toBe(1)
      const holder = programs.find(({ name }) => name === calls[0]?.program)
      holder?.database?.become(state)
      const cutAt = Date.now()
      await expect.poll(() => calls.length, { timeout: 60_000 }).toBe(2)
      holder?.database?.become('open')
      await untilQuiet(db, 60_000)

      const { entries } = await client.threads.entries(id, { after: 0, limit: 200 })
      const [first, second] = calls
      expect(checkStream(entries, { quiet: true })).toEqual([])
      expect(ofKind(entries, 'chat').map(({ body }) => body.text)).toEqual(['@ada go on', 'done'])
      expect(second?.program).not.toBe(first?.program)
      expect(first?.endedAt).toBeLessThan(cutAt + said.leaseMs)
      expect(first?.endedAt).toBeLessThan(second?.startedAt ?? 0)
    },
  )

  test(
    '[R-54][R-12][R-11] stay the same processes with as many open files when their connections are ended all the time',
    { timeout: TIMEOUT },
    async () => {
      await using stage = await setStage(order({ faults: ['backend', 'proxy'], leaseMs: 2_000 }))
      // A worker that loses its database before it serves ends, and is another process when it is started again.
      await Promise.all(stage.house.programs.map(({ greeting }) => greeting))
      const before = ownFiles(stage)
      await rage(stage, 1, 10_000)
      const restless = await comeToRest(stage)
      const after = ownFiles(stage)
      expect([...restless, ...checkStreams(stage.logs, stage.load.acks)]).toEqual([])
      expect(after.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid))
      const grown = after.map(({ files }, index) => files - (before[index]?.files ?? 0))
      expect(Math.max(...grown)).toBeLessThan(6)
    },
  )

  test.each([
    ['no-recovery', /has no outcome yet/],
    ['no-re-arm', /^I7: /],
  ] as const)('chaos finds the plant %s', { timeout: TIMEOUT }, async (plant, sign) => {
    const said = order({
      plant,
      faults: ['kill'],
      forMs: 60_000,
      roundMs: 8_000,
      restMs: 20_000,
      every: [200, 1_000],
    })
    const { broken } = await runStorm(said)
    expect(broken).toContainEqual(expect.stringMatching(sign))
  })
})

// What an embedded house keeps when it is killed later: embedded-house-is-killed.test.ts.
test(
  '[R-50] the making of the first database is killed at any moment, and whoever comes next makes a whole one',
  { timeout: TIMEOUT },
  async () => {
    const storm = order({ engine: 'pglite' })
    const random = seededRandom(storm.seed)
    expect(await killTemplates({ templates: 3, storm }, random)).toEqual([])
  },
)

interface Call {
  readonly program: string
  readonly startedAt: number
  readonly endedAt?: number
}

/** Of each worker, without its connections to the database and the provider, which come and go. */
function ownFiles({ house }: ChaosStage) {
  return house.programs
    .filter(({ name }) => name.startsWith('worker'))
    .map(({ pid, database, provider }) => {
      const files = sampleOf(pid ?? 0)?.files ?? 0
      return { pid, files: files - (database?.open ?? 0) - provider.open }
    })
}
