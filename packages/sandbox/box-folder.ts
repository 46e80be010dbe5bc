import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { boxUser } from './as-box-user.ts'
import { endRuns } from './box-runs.ts'
import { runInBox } from './run-in-box.ts'

/** What a box on this machine consists of. */
export interface BoxFolder {
  readonly path: string
  /** What the box sees as its working folder. */
  readonly workspace: string
  /** A file for each command that runs in it, for whoever has to end it. */
  readonly runs: string
  /** What its files may take together. */
  readonly maxBytes: number
  /** The program that makes the box. */
  readonly bubblewrap: string
}

export function boxFolder(
  path: string,
  { bubblewrap, maxBytes }: Pick<BoxFolder, 'bubblewrap' | 'maxBytes'>,
): BoxFolder {
  const [workspace, runs] = [join(path, 'workspace'), join(path, 'runs')]
  return { path, workspace, runs, maxBytes, bubblewrap }
}

export async function makeFolder({ workspace, runs }: BoxFolder): Promise<void> {
  await mkdir(workspace, { recursive: true, mode: 0o700 })
  await mkdir(runs, { mode: 0o700 })
  const user = boxUser()
  if (user !== undefined) await chown(workspace, user, user)
}

/** Ends what runs in it first. */
export async function removeFolder(folder: BoxFolder): Promise<void> {
  await endRuns(folder.runs)
  const options = { recursive: true, force: true, maxRetries: 5 }
  try {
    await rm(folder.path, options)
  } catch {
    // A folder that its owner may not enter keeps what is in it.
    await runInBox(folder, ['chmod', '-R', 'u+rwX', '.'])
    await rm(folder.path, options)
  }
}
