import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

test('with nothing set a worker has a database of its own and looks by itself', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: undefined,
    turnsAtOnce: 32,
    quietMs: 400,
    leaseMs: 12_000,
    renewMs: 4_000,
    pollMs: 1_000,
    sweepMs: 30_000,
    shutdownMs: 25_000,
  })
})

test('a lease is renewed three times before it lapses', () => {
  expect(readConfig({ ARBE_LEASE_MS: '1000' })).toMatchObject({ leaseMs: 1_000, renewMs: 333 })
})

test('waiting for quiet and the sweep can be switched off', () => {
  const config = readConfig({ ARBE_QUIET_MS: '0', ARBE_SWEEP_MS: 'off' })
  expect([config.quietMs, config.sweepMs]).toEqual([0, undefined])
})

test.each(['0', '-1', '1.5', 'long', ' '])('ARBE_POLL_MS=%j is refused by name', (value) => {
  const reading = () => readConfig({ ARBE_POLL_MS: value })
  expect(reading).toThrow(ConfigError)
  expect(reading).toThrow(`ARBE_POLL_MS must be a whole number above 0, and is "${value}".`)
})
