import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, realpathSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDispatcher } from '../scripts/build-dispatcher.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const launcher = join(checkout, 'apps/cli/bin/arbe.js')

const read = request('read_file', { path: 'poem' })
const readAnswer =
  '{"observation":"1: röd\\n","status":"ok","tool":"read_file","workspace":{"poem":"röd\\n"}}\n'
const patch = request('patch_file', { path: 'poem', old_str: 'blå', new_str: 'grön' })
const patchAnswer =
  '{"error":"old_str_not_found","status":"error","tool":"patch_file","workspace":{"poem":"röd\\n"}}\n'

let folder = ''
let built = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbe-dispatch-'))
  built = join(folder, 'arbe-dispatch.js')
  await buildDispatcher(built)
})
afterAll(() => rm(folder, { recursive: true }))

const commands: [string, () => string[]][] = [
  ['npm run -s dispatch', () => ['npm', 'run', '-s', 'dispatch', '--']],
  ['arbe dispatch', () => [join(checkout, 'node_modules/.bin/arbe'), 'dispatch']],
  ['arbe-dispatch', () => [join(checkout, 'node_modules/.bin/arbe-dispatch')]],
  ['the built file', () => [built]],
  ...nodesOnPath().map((node): [string, () => string[]] => [
    `the built file on ${node}`,
    () => [node, built],
  ]),
]

describe.each(commands)('%s', (_name, command) => {
  test('answers one document', () => {
    expect(run(command(), read)).toEqual({ status: 0, stdout: readAnswer, stderr: '' })
  })

  test('exits 0 when the tool failed and 1 when the protocol was broken', () => {
    expect(run(command(), patch)).toEqual({ status: 0, stdout: patchAnswer, stderr: '' })
    expect(run(command(), read + read)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'arbe dispatch: the request is not one JSON document\n',
    })
  })

  test('answers line by line with --jsonl until a line breaks the protocol', () => {
    expect(run([...command(), '--jsonl'], `${read}\r\n${patch}\n{}\n${read}\n`)).toEqual({
      status: 1,
      stdout: readAnswer + patchAnswer,
      stderr: 'arbe dispatch: request 3: "op" is not "dispatch"\n',
    })
  })
})

const dispatch = [process.execPath, launcher, 'dispatch'] as const

test('--jsonl ends well at the end of stdin, with or without a line feed and over blank lines', () => {
  const answers = { status: 0, stdout: readAnswer + patchAnswer, stderr: '' }
  expect(run([...dispatch, '--jsonl'], `${read}\n${patch}`)).toEqual(answers)
  expect(run([...dispatch, '--jsonl'], `${read}\n\n${patch}\r\n\r\n`)).toEqual(answers)
  expect(run([...dispatch, '--jsonl'], '')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('--jsonl answers a line while stdin stays open', async () => {
  const child = start([...dispatch, '--jsonl'])
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  for (const [line, answer] of [
    [read, readAnswer],
    [patch, patchAnswer],
    [read, readAnswer],
  ]) {
    child.stdin.write(`${line}\n`)
    expect(`${(await lines.next()).value}\n`).toBe(answer)
  }
  child.stdin.end()
  expect(await exitOf(child)).toBe(0)
})

test('--jsonl ends at a broken line although stdin stays open', async () => {
  const child = start([...dispatch, '--jsonl'])
  child.stdin.write('no\n')
  expect(await exitOf(child)).toBe(1)
})

test('--jsonl ends without a word when nobody reads the answers any more', async () => {
  const child = start([...dispatch, '--jsonl'])
  const complaints: string[] = []
  child.stderr.on('data', (text) => complaints.push(String(text)))
  child.stdout.destroy()
  // Ends with the pipe: the process has stopped reading too.
  child.stdin.on('error', () => {})
  child.stdin.write(`${read}\n`.repeat(5))
  expect(await exitOf(child)).toBe(1)
  expect(complaints).toEqual([])
})

test('a stdin that does not block, as some parents leave it, is waited for', async () => {
  const pipe = openPipe('stdin')
  const [program, ...args] = dispatch
  const child = spawn(program, [...args, '--jsonl'], { stdio: [pipe, 'pipe', 'ignore'] })
  const input = withoutBlocking(pipe, { writable: true })
  const lines = createInterface(thePipe(child.stdout))[Symbol.asyncIterator]()
  // Many, since a child that is slow to come back for the next line finds it there already.
  for (let times = 0; times < 40; times += 1) {
    input.write(`${read}\n`)
    expect(`${(await lines.next()).value}\n`).toBe(readAnswer)
  }
  input.write('no\n')
  expect(await exitOf(child)).toBe(1)
  input.destroy()
})

test('a full stdout that does not block gets the whole answer all the same', async () => {
  const pipe = openPipe('stdout')
  const [program, ...args] = dispatch
  const child = spawn(program, args, { stdio: ['pipe', pipe, 'ignore'] })
  const output = withoutBlocking(pipe, { readable: true })
  const workspace = { long: 'x'.repeat(500_000) }
  const call = { tool: 'read_file', args: { path: 'none' } }
  thePipe(child.stdin).end(JSON.stringify({ op: 'dispatch', workspace, call }))
  const { value } = await createInterface(output)[Symbol.asyncIterator]().next()
  expect(JSON.parse(value ?? '')).toMatchObject({ error: 'file_not_found', workspace })
  expect(await exitOf(child)).toBe(0)
  output.destroy()
})

test('more than 64 MiB is refused before stdin has ended', async () => {
  const child = start(dispatch)
  const complaint = createInterface(child.stderr)[Symbol.asyncIterator]().next()
  child.stdin.on('error', () => {})
  child.stdin.write(Buffer.alloc(64 * 1024 * 1024 + 1, ' '))
  expect(await exitOf(child)).toBe(1)
  expect((await complaint).value).toBe('arbe dispatch: the request is larger than 67108864 bytes')
})

test('--help says how to use it, and an unknown argument is refused in one line', () => {
  expect(run([...dispatch, '--help'], '')).toMatchObject({ status: 0, stderr: '' })
  expect(run([...dispatch, '--help'], '').stdout).toMatch(/^usage: arbe dispatch \[--jsonl\]\n/)
  expect(run([...dispatch, '-h', '--nonsense'], '').stdout).toMatch(/^usage: /)
  expect(run([...dispatch, '--jsonl', '--pretty'], read)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'arbe dispatch: unknown argument "--pretty", see --help\n',
  })
})

test('the dispatcher alone is loaded: no package, and of Node nothing by name', async () => {
  const text = await readFile(built, 'utf8')
  expect(text.match(/\b(require|import)\s*[("'{*]/g)).toBe(null)
  expect(text.match(/^\s*\/\/ \S+\.ts$/gm)?.map((line) => line.trim())).toEqual([
    '// packages/core/volumes/find-once.ts',
    '// packages/core/volumes/number-lines.ts',
    '// packages/core/volumes/workspace-tools.ts',
    '// packages/core/dispatch/tool-protocol.ts',
    '// apps/cli/src/dispatch-input.ts',
    '// apps/cli/src/dispatch-stdio.ts',
    '// apps/cli/src/dispatch-main.ts',
  ])
})

function request(tool: string, args: Record<string, string>): string {
  return JSON.stringify({ op: 'dispatch', workspace: { poem: 'röd\n' }, call: { tool, args } })
}

function run([program = '', ...args]: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    input,
    cwd: checkout,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** A named pipe, of which the child gets the very end that the test keeps. */
function openPipe(name: string): number {
  const path = join(folder, name)
  spawnSync('mkfifo', [path])
  return openSync(path, 'r+')
}

/** A socket stops its end from blocking, for everyone who has it; spawn had just made it block. */
function withoutBlocking(fd: number, way: { readable?: true; writable?: true }): Socket {
  return new Socket({ fd, readable: false, writable: false, ...way })
}

function start([program = '', ...args]: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(program, args, { cwd: checkout })
}

function thePipe<T>(stream: T | null): T {
  if (stream === null) throw new Error('this stream is no pipe')
  return stream
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  return code
}

/** The built file promises to run on the machine's own Node as well, which may be older. */
function nodesOnPath(): string[] {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'))
  return [...new Set(places.filter(existsSync).map((place) => realpathSync(place)))]
}
