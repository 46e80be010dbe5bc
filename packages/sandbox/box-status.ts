import { readFile, readlink } from 'node:fs/promises'

/**
 * What bubblewrap itself writes down of the box it made, one JSON object a line: first its process and namespaces, at the end the exit
 * code. A worker that is gone or stands still has left it for its successor.
 */
export interface BoxStatus {
  /** The first process of the box, by its number on this machine; killing it ends all of the box. */
  readonly pid: number | undefined
  readonly pidNamespace: number | undefined
  /** Undefined: still running, killed from outside, or never begun. */
  readonly exitCode: number | undefined
}

export async function readBoxStatus(file: string): Promise<BoxStatus> {
  const lines = (await textOf(file)).split('\n').filter((line) => line !== '')
  const all: Record<string, unknown> = Object.assign({}, ...lines.map(parseLine))
  const number = (name: string) => (typeof all[name] === 'number' ? all[name] : undefined)
  return {
    pid: number('child-pid'),
    pidNamespace: number('pid-namespace'),
    exitCode: number('exit-code'),
  }
}

// A box that was destroyed has none any more.
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isGone(error)) return ''
    throw error
  }
}

// The last line may be on its way.
function parseLine(line: string): object {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Whether its number still belongs to it, and not to another process. */
export async function isRunning({ pid, pidNamespace }: BoxStatus): Promise<boolean> {
  if (pid === undefined || pidNamespace === undefined) return false
  try {
    return (await readlink(`/proc/${pid}/ns/pid`)) === `pid:[${pidNamespace}]`
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

export async function killBox(status: BoxStatus): Promise<void> {
  if (status.pid === undefined || !(await isRunning(status))) return
  try {
    process.kill(status.pid, 'SIGKILL')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

// A process that is being taken down has no namespaces any more.
const GONE = ['ENOENT', 'ESRCH', 'EACCES']
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && GONE.includes(String(error.code))
