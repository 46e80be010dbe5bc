import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  createDatabase(): Promise<TestDatabase>
  /** `immediate` makes no checkpoint: the next start has to recover from the log. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Starts again, on the same port, with the same databases. */
  start(): Promise<void>
}

const run = promisify(execFile)

/** A private server with fsync on, which ends with this process, however this process ends. */
export async function startPostgresServer({ maxConnections = 200 } = {}): Promise<PostgresServer> {
  const programs = findPostgresFolder()
  if (programs === undefined) throw new Error('no Postgres: apt-get install postgresql')
  const server = {
    programs,
    folder: makeFolder(),
    port: await freePort(),
    as: serverUser(),
    maxConnections,
  }
  await runProgram(server, 'initdb', [
    '-D',
    server.folder,
    '-A',
    'trust',
    // Whatever language the machine speaks: without one the databases would take no text but ASCII.
    '--encoding=UTF8',
    '--no-locale',
    '-U',
    'arbe',
    '--no-sync',
  ])
  const stop = stopWithThisProcess(server)
  await start(server)
  return {
    port: server.port,
    createDatabase: () => createDatabase(server),
    stop: (mode) => runProgram(server, 'pg_ctl', ['-D', server.folder, '-m', mode, '-w', 'stop']),
    start: () => start(server),
    [Symbol.asyncDispose]: stop,
  }
}

/** A database of its own on a server that already listens on loopback. */
export async function createDatabase(at: {
  readonly programs: string
  readonly port: number
}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const address = ['-h', '127.0.0.1', '-p', String(at.port), '-U', 'arbe']
  await run(join(at.programs, 'createdb'), [...address, name])
  return {
    url: `postgres://arbe@127.0.0.1:${at.port}/${name}`,
    drop: async () => {
      await run(join(at.programs, 'dropdb'), [...address, '--if-exists', '--force', name])
    },
  }
}

/** The folder of the newest server's programs; Debian keeps them outside PATH. */
export function findPostgresFolder(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, 'bin'))
  return [...folders, ...(process.env['PATH'] ?? '').split(delimiter)].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')),
  )
}

type User = { readonly uid: number; readonly gid: number } | undefined

interface Server {
  readonly programs: string
  readonly folder: string
  readonly port: number
  readonly as: User
  readonly maxConnections: number
}

// Postgres refuses to run as root.
export function serverUser(): User {
  if (process.getuid?.() !== 0) return undefined
  return { uid: postgresId('-u'), gid: postgresId('-g') }
}

function postgresId(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'arbe-postgres-'))
  const user = serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  return folder
}

// Below the range that outgoing connections are given, so that none of them takes it meanwhile.
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000)
  const probe = createServer()
  const isFree = await new Promise<boolean>((answer) => {
    probe.once('error', () => answer(false)).listen(port, '127.0.0.1', () => answer(true))
  })
  probe.close()
  return isFree ? port : freePort()
}

async function runProgram(server: Server, program: string, args: readonly string[]): Promise<void> {
  await run(join(server.programs, program), args, { cwd: server.folder, ...server.as })
}

async function start(server: Server): Promise<void> {
  const { folder, port, maxConnections } = server
  const log = join(folder, 'log')
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=${maxConnections}`
  try {
    await runProgram(server, 'pg_ctl', ['-D', folder, '-l', log, '-o', options, '-w', 'start'])
  } catch (cause) {
    throw new Error(`Postgres did not start: ${readFileSync(log, 'utf8')}`, { cause })
  }
}

// The keeper waits for the end of its input, which comes when this process closes the pipe or dies,
// so that not even kill -9 leaves a server behind.
function stopWithThisProcess(server: Server): () => Promise<void> {
  const script = 'cat >/dev/null; "$1" -D "$2" -m immediate -w stop >/dev/null 2>&1; rm -rf "$2"'
  const keeper = spawn('sh', ['-c', script, 'sh', join(server.programs, 'pg_ctl'), server.folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...server.as,
  })
  keeper.unref()
  return async () => {
    const ended = once(keeper, 'exit')
    keeper.ref()
    keeper.stdin.end()
    await ended
  }
}
