import { describe, expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { startCluster } from './support/cluster.ts'
import { entriesUntil, providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import { startScriptedProvider } from './support/scripted-provider.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

const LEASE_MS = 6_000

describe.skipIf(requireOrSkip('postgres'))(
  'a worker that is cut off from its database alone',
  () => {
    test(
      '[R-20][I2][I4] gives up its model within its lease, though that goes on writing, and posts nothing after another took over',
      { timeout: 120_000 },
      async () => {
        const endless = 'and on '.repeat(1_000)
        await using provider = await startScriptedProvider(({ number }) =>
          number === 1 ? { text: endless, pauseMs: 50 } : { text: `Answer ${number}.` },
        )
        const env = {
          ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
          ARBE_LEASE_MS: String(LEASE_MS),
          ARBE_SWEEP_MS: 'off',
        }
        await using cluster = await startCluster(['Mia'], env, { workers: 0 })
        const database = new URL(cluster.databaseUrl)
        await using line = await startTcpProxy(Number(database.port))
        database.port = String(line.port)
        const cutOff = await cluster.addWorker({ DATABASE_URL: database.href })
        const [[mia] = []] = cluster.people
        if (mia === undefined) throw new Error('nobody is there')

        const { bots } = await mia.bots.list()
        const { id } = await mia.threads.create({ bots: bots.map((bot) => bot.id) })
        await mia.threads.append(id, { kind: 'chat', text: '@ada hello' })
        await expect.poll(() => provider.calls, { timeout: 20_000 }).toBe(1)
        line.become('silent')
        const cutAt = performance.now()
        await cluster.addWorker()
        await expect
          .poll(() => provider.abandoned, { timeout: 30_000, interval: 5 })
          .toBeGreaterThan(0)
        const gaveUp = performance.now() - cutAt
        const answered = await entriesUntil(mia, id, ({ kind }) => kind === OUTCOME)
        console.log(`gave up ${gaveUp.toFixed()} ms after the cut`)
        expect(gaveUp).toBeLessThan(LEASE_MS)
        expect(ofKind(answered, OUTCOME).map(({ body }) => body.status)).toEqual(['replied'])

        line.become('open')
        await mia.threads.append(id, { kind: 'chat', text: '@bo and you?' })
        let turns = 2
        const entries = await entriesUntil(mia, id, ({ kind }) => {
          if (kind === OUTCOME) turns -= 1
          return turns === 0
        })
        expect(ofKind(entries, 'chat').map(({ body }) => body.text)).toEqual([
          '@ada hello',
          'Answer 2.',
          '@bo and you?',
          'Answer 3.',
        ])
        expect(checkStream(entries, { quiet: false })).toEqual([])
        cutOff.child.kill('SIGTERM')
        expect((await cutOff.ended).code).toBe(0)
      },
    )
  },
)

const OUTCOME = 'signal.thread_director.outcome'
