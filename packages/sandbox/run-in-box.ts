import { randomUUID } from 'node:crypto'
import type { BoxMeans } from '@arbe/core/dispatch/sandbox'
import { asUser, BORROWED, boxUser } from './as-box-user.ts'
import type { BoxFolder } from './box-folder.ts'
import { claimRun } from './box-runs.ts'
import { type BoxedCommand, type BoxedResult, runBoxed } from './boxed-process.ts'
import { bubblewrapArgs, LIMITS } from './bubblewrap-profile.ts'

interface InBox {
  readonly means: BoxMeans
  readonly cwd: string
  readonly argv: readonly string[]
}

/** The whole line that runs these words in the box. */
export function inBox(
  { workspace, bubblewrap }: BoxFolder,
  { means, cwd, argv }: InBox,
): Pick<BoxedCommand, 'words' | 'profile'> {
  const user = boxUser()
  const before = user === undefined ? [] : asUser(user, { folder: workspace, bubblewrap })
  const folder = user === undefined ? workspace : BORROWED
  return {
    words: [...before, bubblewrap, ...FROM_PIPES, ...LIMITS, '--', ...argv],
    profile: bubblewrapArgs({ ...means, cwd, folder }),
  }
}

// What stands in argv everybody on the machine can read; variables are not for everybody.
const FROM_PIPES = ['--args', '4', '--json-status-fd', '3', '--']

interface InsideWork {
  readonly stdin?: Uint8Array
  /** Bytes of stdout that are wanted. */
  readonly maxBytes?: number
}

const TIMEOUT_MS = 30_000
const ALONE: BoxMeans = { variables: {}, network: 'none' }

/** What arbe itself does to a box's files it does inside the box, where a link leads to nothing but what the box has. */
export async function runInBox(
  folder: BoxFolder,
  argv: readonly string[],
  { stdin = new Uint8Array(), maxBytes = 0 }: InsideWork = {},
): Promise<BoxedResult> {
  await using run = await claimRun(folder.runs, { scope: `inside ${randomUUID()}`, order: 0 })
  return await runBoxed({
    ...inBox(folder, { means: ALONE, cwd: '', argv }),
    statusFile: run.statusFile,
    stdin,
    signal: new AbortController().signal,
    timeoutMs: TIMEOUT_MS,
    // Head and tail have half each: all that is asked for fits the head.
    maxOutput: Math.max(2 * maxBytes, 4096),
    onOutput: () => undefined,
  })
}
