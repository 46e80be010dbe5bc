import { homedir } from 'node:os'
import { join } from 'node:path'

export interface WwwConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Where people reach the house when that is not `http://host:port`: behind a proxy with a certificate. */
  readonly origin: string | undefined
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /** Needed before the house listens to more than its own machine. */
  readonly secret: string | undefined
  /** Of one account, in the long run; ten times as many may come at once. */
  readonly changesPerSecond: number
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Env = Readonly<Record<string, string | undefined>>

/** Reads the server's settings; throws one ConfigError that names the variable and its value. */
export function readConfig(env: Env): WwwConfig {
  const host = env['ARBE_HOST'] || '127.0.0.1'
  const secret = readSecret(env)
  if (!isLoopback(host) && secret === undefined)
    throw new ConfigError(
      `ARBE_HOST is "${host}", which others can reach: set ARBE_SECRET to at least 32 random characters first.`,
    )
  return Object.freeze({
    host,
    port: readPort(env),
    origin: readOrigin(env),
    databaseUrl: env['DATABASE_URL'] || undefined,
    dataDir: env['ARBE_DATA'] || join(homedir(), '.arbe'),
    secret,
    changesPerSecond: readChangesPerSecond(env),
  })
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function readPort(env: Env): number {
  const text = env['ARBE_PORT'] || '7300'
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new ConfigError(`ARBE_PORT must be a port from 0 to 65535, and is "${text}".`)
  return port
}

function readChangesPerSecond(env: Env): number {
  const text = env['ARBE_CHANGES_PER_SECOND'] || '50'
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new ConfigError(
      `ARBE_CHANGES_PER_SECOND must be a whole number above 0, and is "${text}".`,
    )
  return value
}

function readOrigin(env: Env): string | undefined {
  const text = env['ARBE_ORIGIN']
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text)
    throw new ConfigError(
      `ARBE_ORIGIN must be a scheme and a host such as "https://chat.example.org", and is "${text}".`,
    )
  return text
}

const SHORTEST_SECRET = 32

function readSecret(env: Env): string | undefined {
  const text = env['ARBE_SECRET']
  if (text === undefined || text === '') return undefined
  // The one value that an error may not repeat.
  if (text.length < SHORTEST_SECRET)
    throw new ConfigError(
      `ARBE_SECRET must have at least ${SHORTEST_SECRET} characters, and has ${text.length}.`,
    )
  return text
}
