import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export const launcher = fileURLToPath(new URL('../../apps/cli/bin/arbe.js', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** The whole environment; PATH alone is added. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Runs one command of the command line as a process, to its end. */
export async function runArbe(
  args: readonly string[],
  { env = {}, input = '' }: RunOptions = {},
): Promise<Ran> {
  const running = startArbe(args, env)
  running.child.stdin?.end(input)
  return await running.ended
}

export interface RunningArbe {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** What it has complained of so far. */
  stderr(): string
  /** What it has printed, once that contains the text; rejects when it ends before. */
  stdoutWith(text: string): Promise<string>
}

export function startArbe(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningArbe {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'pipe',
  })
  return watchArbe(child, args)
}

/** Reads what a process says that was started otherwise. */
export function watchArbe(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  args: readonly string[],
): RunningArbe {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk))
  // It may end without reading what it is given.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }))
  return {
    child,
    ended,
    stderr: () => stderr,
    async stdoutWith(text) {
      while (!stdout.includes(text)) {
        const over = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          ended.then(() => true),
        ])
        if (over && !stdout.includes(text))
          throw new Error(`arbe ${args.join(' ')} ended without "${text}": ${stdout}${stderr}`)
      }
      return stdout
    },
  }
}
