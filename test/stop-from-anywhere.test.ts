import { toActorId, toThreadId } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { checkStream } from './support/check-stream.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { entriesUntil, providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

const LEASE_MS = 6_000
const HEARTBEAT_MS = LEASE_MS / 3

describe.skipIf(requireOrSkip('postgres'))('a turn whose model writes on and on', () => {
  let provider: ScriptedProvider
  let cluster: Cluster
  let people: readonly ArbeClient[]
  beforeAll(async () => {
    provider = await startScriptedProvider(() => ({ text: 'And so', silent: true }))
    cluster = await startCluster(
      ['Mia'],
      {
        ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
        ARBE_LEASE_MS: String(LEASE_MS),
      },
      { workers: 1 },
    )
    people = cluster.people[0] ?? []
  }, 60_000)
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  const ways: readonly (readonly [string, (threadId: string) => Promise<unknown>])[] = [
    [
      'by the page server that it was not said to',
      (id) => client(1).threads.append(id, { kind: 'thread.stop' }),
    ],
    [
      'by a process whose word to the others is lost',
      async (id) => {
        const { person } = await client(0).me()
        const store = createThreadDirectorStore(cluster.db, () => undefined)
        const order = { threadId: toThreadId(id), authorId: toActorId(person.id), key: 'a-stop' }
        return await store.stop(order)
      },
    ],
  ]

  test.each(ways)(
    '[F4][I2] is stopped %s: its call is gone within a heartbeat, and nothing of it comes after',
    { timeout: 60_000 },
    async (_, stop) => {
      const { bots } = await client(0).bots.list()
      const { id } = await client(0).threads.create({ bots: bots.map((bot) => bot.id) })
      const { calls, abandoned } = provider
      await client(0).threads.append(id, { kind: 'chat', text: '@ada hello' })
      await expect.poll(() => provider.calls, { timeout: 20_000 }).toBe(calls + 1)

      const stopped = performance.now()
      await stop(id)
      await expect
        .poll(() => provider.abandoned, { timeout: 20_000, interval: 5 })
        .toBe(abandoned + 1)
      const ms = performance.now() - stopped
      console.log(`the call was gone ${ms.toFixed()} ms after Stop`)
      // The machine's own slowness is no second heartbeat.
      expect(ms).toBeLessThan(2 * HEARTBEAT_MS)

      const { seq } = await client(0).threads.append(id, { kind: 'chat', text: 'only for people' })
      const entries = await entriesUntil(client(1), id, (entry) => entry.seq >= seq)
      const outcomes = ofKind(entries, 'signal.thread_director.outcome')
      expect(outcomes.map(({ body }) => [body.status, body.because])).toEqual([
        ['cancelled', 'stopped'],
      ])
      expect(entries.at(-1)?.seq).toBe((outcomes[0]?.seq ?? 0) + 1)
      expect(checkStream(entries, { quiet: false })).toEqual([])
    },
  )

  function client(server: number): ArbeClient {
    const one = people[server]
    if (one === undefined) throw new Error('there are two page servers')
    return one
  }
})
