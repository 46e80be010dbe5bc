import { readBackup } from '@arbe/core/backup/read-backup'
import { createWriteStream, existsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { CommandContext } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'

/** The file is there under its name when it is whole, on the disk, and has been read back. */
export async function backup(
  { config, output }: CommandContext,
  [file = '']: readonly string[],
): Promise<undefined> {
  if (existsSync(file)) throw new CliError(EXIT.conflict, `${file} exists already.`)
  const client = await connect(config)
  const part = `${file}.part`
  await rm(part, { force: true })
  const stream = await client.backup()
  try {
    await pipeline(stream, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    const rows = await countRows(part)
    await giveName(part, file)
    output.data({ file, rows }, () => [`${file}: ${rows} rows, read back without a fault`])
  } finally {
    await rm(part, { force: true })
  }
}

async function countRows(file: string): Promise<number> {
  let rows = 0
  for await (const { kind } of readBackup(file)) if (kind === 'row') rows += 1
  return rows
}

/** Unlike a rename, this never takes the place of a backup that is there. */
async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file)
  } catch (cause) {
    throw new CliError(EXIT.conflict, `${file} exists, or cannot be made.`, { cause })
  }
}
