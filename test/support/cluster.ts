import type { ArbeClient } from '@arbe/sdk/client'
import { createClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Database } from '../../packages/core/db/executor.ts'
import { openDatabase } from '../../packages/core/db/open-db.ts'
import type { TestDatabase } from './postgres-server.ts'
import { createDatabase } from './postgres.ts'
import { type RunningArbe, startArbe } from './run-arbe.ts'
import { signIn } from './sign-in.ts'

export interface Cluster extends AsyncDisposable {
  /** Beside the processes, on the same server. */
  readonly db: Database
  /** Each person as a client of each page server. */
  readonly people: readonly (readonly ArbeClient[])[]
  readonly workers: readonly RunningArbe[]
  readonly www: readonly (RunningArbe & { readonly url: string })[]
  readonly tokens: readonly string[]
  /** Of the database, for a proxy before it. */
  readonly databaseUrl: string
  /** One more, with other settings if given; it serves when this is fulfilled. */
  addWorker(over?: Readonly<Record<string, string>>): Promise<RunningArbe>
}

export interface ClusterOptions {
  readonly workers?: number
  /** On a server of its own, which may break. */
  readonly create?: () => Promise<TestDatabase>
}

/** Page servers and workers as processes of their own on one Postgres, two of each unless it is said, with these people signed in. */
export async function startCluster(
  names: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  { workers: count = 2, create = createDatabase }: ClusterOptions = {},
): Promise<Cluster> {
  await using starting = new AsyncDisposableStack()
  const made = await create()
  starting.defer(() => made.drop())
  const home = await mkdtemp(`${tmpdir()}/arbe-cluster-`)
  starting.defer(() => rm(home, { recursive: true, force: true }))
  const db = await openDatabase({ url: made.url })
  starting.defer(() => db.close())
  const all = { HOME: home, DATABASE_URL: made.url, ...env }
  const processes: RunningArbe[] = []
  starting.defer(() => killAll(processes))
  const run = (args: readonly string[], over: Readonly<Record<string, string>> = {}) => {
    const running = startArbe([...args, '--json'], { ...all, ...over })
    processes.push(running)
    return running
  }

  const addWww = async () => {
    const running = run(['www', '--port', '0'])
    return { ...running, ...JSON.parse(await running.stdoutWith('\n')) }
  }
  const first = await addWww()
  const tokens = await signAllIn(names, first.ownerLink)
  const www = [first, await addWww()]
  const addWorker: Cluster['addWorker'] = async (over) => {
    const worker = run(['backstage'], over)
    await worker.stdoutWith('\n')
    return worker
  }
  const workers: RunningArbe[] = []
  while (workers.length < count) workers.push(await addWorker())
  const people = tokens.map((token) => www.map(({ url }) => createClient({ baseUrl: url, token })))
  const running = starting.move()
  return {
    db,
    people,
    www,
    tokens,
    workers,
    addWorker,
    databaseUrl: made.url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function killAll(processes: readonly RunningArbe[]): Promise<void> {
  for (const { child } of processes) child.kill('SIGKILL')
  await Promise.all(processes.map(({ ended }) => ended))
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
