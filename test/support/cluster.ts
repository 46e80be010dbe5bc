import type { ArbeClient } from '@arbe/sdk/client'
import { createClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Database } from '../../packages/core/db/executor.ts'
import { openDatabase } from '../../packages/core/db/open-db.ts'
import { createDatabase } from './postgres.ts'
import { type RunningArbe, startArbe } from './run-arbe.ts'
import { signIn } from './sign-in.ts'

export interface Cluster extends AsyncDisposable {
  /** Beside the processes, on the same server. */
  readonly db: Database
  /** Each person as a client of each page server. */
  readonly people: readonly (readonly ArbeClient[])[]
  readonly workers: readonly RunningArbe[]
}

/** Page servers and workers as processes of their own on one Postgres, two of each, with these people signed in. */
export async function startCluster(
  names: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<Cluster> {
  await using starting = new AsyncDisposableStack()
  const made = await createDatabase()
  starting.defer(() => made.drop())
  const home = await mkdtemp(`${tmpdir()}/arbe-cluster-`)
  starting.defer(() => rm(home, { recursive: true, force: true }))
  const db = await openDatabase({ url: made.url })
  starting.defer(() => db.close())
  const all = { HOME: home, DATABASE_URL: made.url, ...env }
  const run = (...args: readonly string[]): RunningArbe => {
    const running = startArbe([...args, '--json'], all)
    starting.defer(async () => {
      running.child.kill('SIGKILL')
      await running.ended
    })
    return running
  }

  const first = JSON.parse(await run('www', '--port', '0').stdoutWith('\n'))
  const tokens = await signAllIn(names, first.ownerLink)
  const second = JSON.parse(await run('www', '--port', '0').stdoutWith('\n'))
  const workers = [run('backstage'), run('backstage')]
  for (const worker of workers) await worker.stdoutWith('\n')
  const people = tokens.map((token) =>
    [first.url, second.url].map((baseUrl) => createClient({ baseUrl, token })),
  )
  const running = starting.move()
  return { db, people, workers, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function signAllIn(
  [owner, ...guests]: readonly [string, ...string[]],
  ownerLink: string,
): Promise<readonly string[]> {
  const { client, token } = await signIn(ownerLink, owner)
  const { url } = await client.invite()
  const tokens = [token]
  for (const name of guests) tokens.push((await signIn(url, name)).token)
  return tokens
}

/** Kills a worker as soon as it is at work on some thread. */
export async function killAtWork(db: Database, { child, ended }: RunningArbe): Promise<void> {
  const held = `select 1 from thread_directors where lease_until is not null and holder like $1`
  while ((await db.query(held, [`%:${child.pid}:%`])).length === 0);
  child.kill('SIGKILL')
  await ended
}
