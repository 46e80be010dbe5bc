import { type ChildProcessByStdio, spawn } from 'node:child_process'
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { json } from 'node:stream/consumers'

export interface OnSmallDisk {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Takes all but so many bytes of the disk. */
  fill(leave: number): void
  /** Gives them back. */
  free(): void
}

export interface SmallDiskOrder {
  readonly bytes: number
  /** Where the program sees the disk; nobody else does. */
  readonly folder: string
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly as?: { readonly uid: number; readonly gid: number } | undefined
}

/** An empty folder on which a program may see a small disk; `remove` when that has ended. */
export function placeForDisk(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'arbe-small-disk-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Runs a program with a file system of so many bytes in one of its folders. It dies with this process. */
export async function startOnSmallDisk(order: SmallDiskOrder): Promise<OnSmallDisk> {
  const { bytes, folder, command, env, as } = order
  const disk = ['--dev-bind', '/', '/', '--size', String(bytes), '--tmpfs', folder]
  const child = spawn(
    'bwrap',
    [
      ...disk,
      '--die-with-parent',
      '--unshare-pid',
      '--info-fd',
      '3',
      '--',
      ...BEGIN,
      folder,
      ...command,
    ],
    {
      env,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      ...as,
    },
  ) as ChildProcessByStdio<Writable, Readable, Readable>
  const info = await json(child.stdio[3] as Readable)
  const inside = `/proc/${(info as { 'child-pid': number })['child-pid']}/root${folder}`
  const ballast = join(inside, 'ballast')
  return {
    child,
    fill(leave) {
      const file = openSync(ballast, 'r+')
      const end = writeToTheEnd(file)
      ftruncateSync(file, Math.max(0, end - leave))
      closeSync(file)
    },
    free: () => truncateSync(ballast),
  }
}

// Made inside: the user out here may be unknown there, and may fill a file but make none.
const BEGIN = ['sh', '-c', ': >"$0/ballast"; exec "$@"']

const BLOCK = Buffer.alloc(64 * 1024)

function writeToTheEnd(file: number): number {
  let written = 0
  try {
    for (;;) written += writeSync(file, BLOCK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return written
    throw error
  }
}
