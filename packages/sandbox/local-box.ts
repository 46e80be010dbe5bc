import {
  type BoxMeans,
  type Sandbox,
  SandboxError,
  type SandboxErrorCode,
  type SandboxRef,
} from '@arbe/core/dispatch/sandbox'
import { isVolumePath } from '@arbe/core/volumes/volume-path'
import type { BoxFolder } from './box-folder.ts'
import { claimRun } from './box-runs.ts'
import { type BoxedResult, runBoxed } from './boxed-process.ts'
import { WORKSPACE } from './bubblewrap-profile.ts'
import { inBox, runInBox } from './run-in-box.ts'
import { watchSize } from './watch-size.ts'

/** A box on this machine: a folder, and new namespaces around it for every command. */
export function localBox(ref: SandboxRef, folder: BoxFolder, means: BoxMeans): Sandbox {
  return {
    ref,
    async exec(command, { label, cwd = '', onOutput = () => undefined, ...bounds }) {
      if (cwd !== '') checkPath(cwd)
      await using run = await claimRun(folder.runs, label)
      await using room = guardRoom(folder)
      const { aborted, stdout, stderr, ...rest } = await runBoxed({
        ...inBox(folder, { means, cwd, argv: ['/bin/bash', '-c', command] }),
        ...bounds,
        signal: AbortSignal.any([bounds.signal, room.ended]),
        statusFile: run.statusFile,
        stdin: NOTHING,
        onOutput,
      })
      return {
        ...rest,
        aborted: bounds.signal.aborted,
        diskFull: aborted && room.ended.aborted,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.truncated || stderr.truncated,
      }
    },
    async readFile(path, { maxBytes }) {
      const { stdout } = await onFile(folder, { script: READ, path, maxBytes: maxBytes + 1 })
      const bytes = stdout.bytes()
      if (bytes.length <= maxBytes) return bytes
      throw new SandboxError('too_large', `${path} has more than ${maxBytes} bytes`)
    },
    async writeFile(path, data) {
      await onFile(folder, { script: WRITE, path, stdin: data })
    },
  }
}

const NOTHING = new Uint8Array()

/** `ended` aborts when the box holds more than it may. */
function guardRoom({ workspace, maxBytes }: BoxFolder) {
  const full = new AbortController()
  const done = new AbortController()
  const watch = { maxBytes, signal: done.signal }
  const watching = watchSize(workspace, watch, () => full.abort())
  return {
    ended: full.signal,
    async [Symbol.asyncDispose]() {
      done.abort()
      await watching
    },
  }
}

interface FileWork {
  readonly script: string
  readonly path: string
  readonly stdin?: Uint8Array
  readonly maxBytes?: number
}

async function onFile(
  folder: BoxFolder,
  { script, path, ...work }: FileWork,
): Promise<BoxedResult> {
  checkPath(path)
  const argv = ['/bin/bash', '-c', script, 'file', path, String(work.maxBytes ?? 0)]
  const result = await runInBox(folder, argv, work)
  if (result.exitCode === 0) return result
  const wrong = FILE_FAILURES.get(result.exitCode)
  if (wrong !== undefined) throw new SandboxError(wrong.code, `${path} ${wrong.message}`)
  throw new SandboxError('unavailable', result.stderr.text().trim())
}

function checkPath(path: string): void {
  if (!isVolumePath(path))
    throw new SandboxError('invalid_path', `${JSON.stringify(path)} is no path in the box`)
}

const FILE_FAILURES = new Map<number, { code: SandboxErrorCode; message: string }>([
  [43, { code: 'file_not_found', message: 'does not exist' }],
  [44, { code: 'invalid_path', message: `leads out of ${WORKSPACE}` }],
  [45, { code: 'not_a_file', message: 'is not a regular file' }],
])

const READ = `
real=$(realpath -e -- "$1") || exit 43
case "$real" in ${WORKSPACE}/*) ;; *) exit 44 ;; esac
[ -f "$real" ] || exit 45
exec head -c "$2" -- "$real"`

const WRITE = `
real=$(realpath -m -- "$1")
case "$real" in ${WORKSPACE}/*) ;; *) exit 44 ;; esac
if [ -e "$real" ] && [ ! -f "$real" ]; then exit 45; fi
mkdir -p -- "$(dirname -- "$real")" && cat > "$real"`
