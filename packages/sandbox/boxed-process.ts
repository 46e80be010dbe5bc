import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { SandboxError } from '@arbe/core/dispatch/sandbox'
import { killBox, readBoxStatus } from './box-status.ts'
import { CappedOutput } from './capped-output.ts'

export interface BoxedCommand {
  /** The program and its arguments; bubblewrap reads more of them from descriptor 4 and writes what becomes of it to 3. */
  readonly words: readonly string[]
  /** For descriptor 4. */
  readonly profile: readonly string[]
  /** Empty: it sees the end of its input at once. */
  readonly stdin: Uint8Array
  /** Where bubblewrap writes what becomes of the box. */
  readonly statusFile: string
  readonly timeoutMs: number
  /** Bytes kept of each of stdout and stderr. */
  readonly maxOutput: number
  readonly signal: AbortSignal
  readonly onOutput: (text: string) => void
}

export interface BoxedResult {
  readonly exitCode: number
  readonly stdout: CappedOutput
  readonly stderr: CappedOutput
  readonly timedOut: boolean
  readonly aborted: boolean
  readonly ms: number
}

/** Runs one command in a box of its own and waits until nothing of it is left. */
export async function runBoxed(command: BoxedCommand): Promise<BoxedResult> {
  command.signal.throwIfAborted()
  const started = performance.now()
  const limit = AbortSignal.timeout(command.timeoutMs)
  const ended = AbortSignal.any([command.signal, limit])
  await using status = await open(command.statusFile, 'a')
  const child = startBubblewrap(command, status.fd)
  const output = collectOutput(child, command)
  let ending = Promise.resolve()
  const end = () => {
    ending = endBox(child, command.statusFile)
  }
  ended.addEventListener('abort', end)
  if (ended.aborted) end()
  try {
    await once(child, 'close')
  } catch (error) {
    throw new SandboxError('unavailable', 'bubblewrap cannot be started', { cause: error })
  } finally {
    ended.removeEventListener('abort', end)
    await ending
  }
  const ms = Math.round(performance.now() - started)
  const { exitCode } = await readBoxStatus(command.statusFile)
  if (exitCode === undefined && !ended.aborted) {
    throw new SandboxError('unavailable', `the box did not start: ${output.stderr.text().trim()}`)
  }
  const aborted = command.signal.aborted
  return {
    ...output,
    exitCode: exitCode ?? KILLED,
    timedOut: !aborted && limit.aborted,
    aborted,
    ms,
  }
}

// 128 and SIGKILL's number, as a shell says it.
const KILLED = 137

function startBubblewrap({ words, profile, stdin }: BoxedCommand, statusFd: number) {
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    // Its own process group: a Ctrl-C at the server's terminal is not for it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', statusFd, 'pipe'],
  })
  give(child.stdio[0], stdin)
  give(child.stdio[4], Buffer.from(profile.map((word) => `${word}\0`).join('')))
  return child
}

function give(pipe: unknown, data: Uint8Array): void {
  if (!(pipe instanceof Writable)) return
  // A box that ended early reads no further, and its exit code tells why.
  pipe.on('error', () => undefined)
  pipe.end(data)
}

function collectOutput(child: ChildProcess, { maxOutput, onOutput }: BoxedCommand) {
  const output = { stdout: new CappedOutput(maxOutput), stderr: new CappedOutput(maxOutput) }
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder()
    child[name]?.on('data', (chunk: Buffer) => {
      output[name].push(chunk)
      onOutput(decoder.decode(chunk, { stream: true }))
    })
  }
  return output
}

/** Through the first process of the box: with it everything in the box ends, whatever it ignores or wherever it hides. */
async function endBox(child: ChildProcess, statusFile: string): Promise<void> {
  const status = await readBoxStatus(statusFile)
  // A bubblewrap that has no box yet takes what it has with it.
  if (status.pid === undefined) child.kill('SIGKILL')
  else await killBox(status)
}
