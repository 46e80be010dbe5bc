import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExecLabel, SandboxError } from '@arbe/core/dispatch/sandbox'
import { isRunning, killBox, readBoxStatus } from './box-status.ts'

export interface BoxRun extends AsyncDisposable {
  readonly statusFile: string
}

/**
 * Puts a command of this label on record before it starts, and kills what still runs under the same scope. The record is a file, so
 * that it holds for a process that stands still and for one that is gone.
 */
export async function claimRun(folder: string, { scope, order }: ExecLabel): Promise<BoxRun> {
  const place = join(folder, encodeURIComponent(scope))
  await mkdir(place, { recursive: true })
  const own = `${order}-${randomUUID()}`
  const statusFile = join(place, own)
  await writeFile(statusFile, '')
  const run = { statusFile, [Symbol.asyncDispose]: () => rm(statusFile, { force: true }) }
  const others = (await readdir(place)).filter((name) => name !== own)
  if (others.some((name) => Number.parseInt(name, 10) > order)) {
    await run[Symbol.asyncDispose]()
    throw new SandboxError('superseded', 'a later turn has taken over')
  }
  for (const other of others) await endRun(join(place, other))
  return run
}

/** Kills everything that runs in a box; in one that is gone, that is nothing. */
export async function endRuns(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (name.isFile()) await endRun(join(name.parentPath, name.name))
}

/** The record of one that was alive stays for whoever waits for it. */
async function endRun(statusFile: string): Promise<void> {
  const status = await readBoxStatus(statusFile)
  if (await isRunning(status)) await killBox(status)
  else if (status.pid !== undefined) await rm(statusFile, { force: true })
}
