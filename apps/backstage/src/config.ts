export interface BackstageConfig {
  /** Undefined: the embedded engine, which only `arbe start` may use. */
  readonly databaseUrl: string | undefined
  /** Threads worked on at once by this process. */
  readonly turnsAtOnce: number
  /** How long a thread must be quiet before money is spent on it: what comes in a burst is decided together. */
  readonly quietMs: number
  readonly leaseMs: number
  readonly renewMs: number
  /** How long a model may stay silent before its request is given up. */
  readonly modelIdleMs: number
  /** Longest time a hint that got lost can delay a wake. */
  readonly pollMs: number
  /** Undefined switches the sweep off: tests prove that nothing depends on it. */
  readonly sweepMs: number | undefined
  /** How long what runs may go on when the worker is told to stop. What is not done then is handed back. */
  readonly shutdownMs: number
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the worker's settings; throws one ConfigError that names the variable and its value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): BackstageConfig {
  const leaseMs = positive(env, 'ARBE_LEASE_MS', 12_000)
  return Object.freeze({
    databaseUrl: env['DATABASE_URL'] || undefined,
    turnsAtOnce: positive(env, 'ARBE_TURNS_AT_ONCE', 32),
    quietMs: env['ARBE_QUIET_MS'] === '0' ? 0 : positive(env, 'ARBE_QUIET_MS', 400),
    leaseMs,
    renewMs: Math.floor(leaseMs / 3),
    modelIdleMs: positive(env, 'ARBE_MODEL_IDLE_MS', 60_000),
    pollMs: positive(env, 'ARBE_POLL_MS', 1_000),
    sweepMs: env['ARBE_SWEEP_MS'] === 'off' ? undefined : positive(env, 'ARBE_SWEEP_MS', 30_000),
    shutdownMs: positive(env, 'ARBE_SHUTDOWN_MS', 25_000),
  })
}

function positive(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  otherwise: number,
): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!Number.isInteger(value) || value <= 0)
    throw new ConfigError(`${name} must be a whole number above 0, and is "${text}".`)
  return value
}
