import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** The one place of the command line that reads the environment. */
export function processEnvironment(): Environment {
  return process.env
}

export interface CliConfig {
  /** Set together they take the place of a login. */
  readonly url: string | undefined
  readonly token: string | undefined
  readonly loginFile: string
}

export function readCliConfig(env: Environment): CliConfig {
  return Object.freeze({
    url: env['ARBE_URL'] || undefined,
    token: env['ARBE_TOKEN'] || undefined,
    loginFile: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'arbe', 'login.json'),
  })
}
