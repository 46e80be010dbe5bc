import { BackupRefused } from '@arbe/core/backup/backup-lines'
import { restoreBackup, type Restored } from '@arbe/core/backup/restore-backup'
import type { CommandContext, Options } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { textOf } from '../read-option.ts'
import { readWwwConfig } from '../serve.ts'

/** Works on the place itself: no house serves there yet. */
export async function restore(
  { env, output }: CommandContext,
  [file = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const data = textOf(options['data'])
  const { databaseUrl, dataDir } = readWwwConfig(env)
  // A folder that is named is meant, whatever the environment says.
  const isServer = data === undefined && databaseUrl !== undefined
  const place = isServer ? { url: databaseUrl } : { dataDir: data ?? dataDir }
  const where = isServer ? 'the Postgres of DATABASE_URL' : (data ?? dataDir)
  const restored = await restoreBackup(file, place).catch(sayRefusal)
  output.data(restored, () => said(restored, where))
}

function sayRefusal(error: unknown): never {
  if (error instanceof BackupRefused)
    throw new CliError(EXIT.conflict, `Nothing was restored: ${error.message}.`, { cause: error })
  throw error
}

function said({ house, madeAt, threads, entries }: Restored, where: string): readonly string[] {
  return [`${house}, as it was at ${madeAt}: ${threads} threads, ${entries} entries, in ${where}`]
}
