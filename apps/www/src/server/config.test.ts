import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const refusal = (env: Record<string, string>): string => {
  try {
    readConfig(env)
    return 'not refused'
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error)
  }
}

const SECRET = 'x'.repeat(32)

test('nothing needs to be set', () => {
  const { dataDir, ...rest } = readConfig({})
  expect(dataDir).toMatch(/\.arbe$/)
  expect(rest).toEqual({
    host: '127.0.0.1',
    port: 7300,
    origin: undefined,
    databaseUrl: undefined,
    secret: undefined,
    changesPerSecond: 50,
  })
})

test.each(['0.0.0.0', '::', '192.168.1.4', 'chat.example.org', '127.0.0.1.example.org'])(
  'a house without a secret does not listen to %s',
  (host) => {
    expect(refusal({ ARBE_HOST: host })).toMatch(new RegExp(`ARBE_HOST is "${host}".*ARBE_SECRET`))
    expect(readConfig({ ARBE_HOST: host, ARBE_SECRET: SECRET }).host).toBe(host)
  },
)

test.each([
  [{ ARBE_PORT: 'http' }, 'ARBE_PORT must be a port from 0 to 65535, and is "http".'],
  [{ ARBE_PORT: '65536' }, 'ARBE_PORT must be a port from 0 to 65535, and is "65536".'],
  [
    { ARBE_CHANGES_PER_SECOND: '0' },
    'ARBE_CHANGES_PER_SECOND must be a whole number above 0, and is "0".',
  ],
  [{ ARBE_PORT: '-1' }, 'ARBE_PORT must be a port from 0 to 65535, and is "-1".'],
  [
    { ARBE_ORIGIN: 'https://chat.example.org/path' },
    'ARBE_ORIGIN must be a scheme and a host such as "https://chat.example.org", and is "https://chat.example.org/path".',
  ],
  [
    { ARBE_ORIGIN: 'chat.example.org' },
    'ARBE_ORIGIN must be a scheme and a host such as "https://chat.example.org", and is "chat.example.org".',
  ],
])('%o is refused by name and value', (env, message) => {
  expect(refusal(env)).toBe(message)
})

test('[S-24] a secret that is too short is not repeated', () => {
  expect(refusal({ ARBE_SECRET: 'hunter2' })).toBe(
    'ARBE_SECRET must have at least 32 characters, and has 7.',
  )
})
