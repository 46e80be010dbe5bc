import type { ArbeClient } from '@arbe/sdk/client'
import { createClient } from '@arbe/sdk/client'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { checkStream } from './support/check-stream.ts'
import { startCluster } from './support/cluster.ts'
import { entriesAtRest, providerEnv } from './support/open-house.ts'
import { createDatabase } from './support/postgres.ts'
import { requireOrSkip } from './support/require.ts'
import { type Ran, runArbe, startArbe } from './support/run-arbe.ts'
import { type Script, startScriptedProvider } from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'
import { type Posted, startLoad } from './support/steady-load.ts'
import { untilQuiet } from './support/until-quiet.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-backup-test-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe.skipIf(requireOrSkip('postgres'))('a backup made under load', () => {
  test(
    '[R-52][I1][I3][I5][I6][I11] of an embedded house goes on in another folder and on a Postgres, each turn that ran taken up once',
    { timeout: 180_000 },
    async () => {
      await using provider = await startScriptedProvider(talkative)
      const env = {
        HOME: home,
        ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
      }
      await using house = await serve({ ...env, ARBE_DATA: join(home, 'first') })
      const { client, token } = await signIn(house.ownerLink, 'Mia')
      const file = join(home, 'embedded.arbe')
      const before = await backUpUnderLoad([client], { url: house.url, token, file })

      const folder = join(home, 'second')
      const restored = [
        await runArbe(['restore', file, '--data', folder, '--json'], { env: { HOME: home } }),
      ]
      await using made = await freshDatabase()
      restored.push(
        await runArbe(['restore', file, '--json'], {
          env: { HOME: home, DATABASE_URL: made.url },
        }),
      )
      expect(restored.map(({ code }) => code)).toEqual([0, 0])
      for (const place of [{ ARBE_DATA: folder }, { DATABASE_URL: made.url }]) {
        await using next = await serve({ ...env, ...place })
        const again = createClient({ baseUrl: next.url, token })
        expect(await broken(again, before)).toEqual([])
      }
    },
  )

  test(
    '[R-52][I1][I3][I5][I6][I11] of page servers and workers on a Postgres goes on under others on another',
    { timeout: 180_000 },
    async () => {
      await using provider = await startScriptedProvider(talkative)
      const env = providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl })
      await using cluster = await startCluster(['Mia'], { ...env })
      const file = join(home, 'server.arbe')
      const [url = ''] = cluster.www.map((www) => www.url)
      const [token = ''] = cluster.tokens
      const before = await backUpUnderLoad(cluster.people.flat(), { url, token, file })

      await using made = await freshDatabase()
      const there = { HOME: home, DATABASE_URL: made.url }
      expect(await runArbe(['restore', file], { env: there })).toMatchObject({ code: 0 })
      await using next = await serve({ ...env, ...there })
      const db = await openDatabase({ url: made.url })
      await untilQuiet(db, 60_000)
      await db.close()
      expect(await broken(createClient({ baseUrl: next.url, token }), before)).toEqual([])
    },
  )
})

const talkative: Script = ({ tools, number }) =>
  tools.includes('decide')
    ? { delayMs: 30, toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'in turn' } }] }
    : { delayMs: 100, text: `It is ${number}.` }

interface BackupOrder {
  readonly url: string
  readonly token: string
  readonly file: string
}

/** What had been acknowledged when the backup began. */
async function backUpUnderLoad(
  clients: readonly ArbeClient[],
  { url, token, file }: BackupOrder,
): Promise<readonly Posted[]> {
  const [client] = clients
  const bots = ((await client?.bots.list())?.bots ?? []).map(({ id }) => id)
  const threads: string[] = []
  for (let n = 0; n < 4; n += 1) threads.push((await client?.threads.create({ bots }))?.id ?? '')
  const textOf = (number: number): string => `@ada and ${number}?`
  const load = startLoad(clients, threads, { lanes: 4, pauseMs: 30, textOf })
  await load.next('acknowledged', 40)
  const before = [...load.posted]
  const env = { HOME: home, ARBE_URL: url, ARBE_TOKEN: token }
  const ran: Ran = await runArbe(['backup', file], { env })
  await load.stop()
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(gunzipSync(await readFile(file)).includes(token)).toBe(false)
  expect(load.posted.length).toBeGreaterThan(before.length)
  return before
}

/** What the threads of a restored house break, once they are at rest. */
async function broken(client: ArbeClient, before: readonly Posted[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const id of new Set(before.map(({ threadId }) => threadId))) {
    const acknowledged = before.filter(({ threadId }) => threadId === id)
    const entries = await entriesAtRest(client, id, { seq: acknowledged.at(-1)?.seq ?? 1 })
    const lines = checkStream(entries, { quiet: true, acknowledged })
    found.push(...lines.map((line) => `${id} ${line}`))
  }
  return found
}

async function serve(env: Readonly<Record<string, string>>) {
  const running = startArbe(['start', '--port', '0', '--json'], env)
  const { url, ownerLink }: { url: string; ownerLink: string } = JSON.parse(
    await running.stdoutWith('\n'),
  )
  return {
    url,
    ownerLink,
    async [Symbol.asyncDispose]() {
      running.child.kill('SIGKILL')
      await running.ended
    },
  }
}

async function freshDatabase() {
  const made = await createDatabase()
  return { url: made.url, [Symbol.asyncDispose]: () => made.drop() }
}
