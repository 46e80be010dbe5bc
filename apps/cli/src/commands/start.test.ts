import { expect, test } from 'vitest'
import { CliError } from '../exit.ts'
import { backstage, start, www } from './start.ts'

const context = (env: Readonly<Record<string, string>>) => ({
  env,
  config: { url: undefined, token: undefined, loginFile: '' },
  output: { data: () => undefined, note: () => undefined },
})

const slip = (message: string): CliError => new CliError(2, message)

test.each([
  [{ ARBE_LEASE_MS: '1.5' }, 'ARBE_LEASE_MS must be a whole number above 0, and is "1.5".'],
  [{ ARBE_PROVIDERS: '[' }, 'ARBE_PROVIDERS is not JSON'],
  [{ ARBE_ORIGIN: 'here' }, /^ARBE_ORIGIN must be .*"here"\.$/],
])('a setting that cannot be used is a slip, and is named: %j', async (env, said) => {
  const starting = start(context({ ARBE_DATA: '/nowhere', ...env }), [], {})
  await expect(starting).rejects.toThrow(said)
  await expect(starting).rejects.toBeInstanceOf(CliError)
})

test('an option stands before its variable', async () => {
  const starting = start(context({ ARBE_PORT: '7300' }), [], { port: 'abc' })
  await expect(starting).rejects.toThrow('ARBE_PORT must be a port from 0 to 65535, and is "abc".')
})

test('parts that run apart need a server', () => {
  const apart = (part: string): CliError =>
    slip(`arbe ${part} runs beside others on one Postgres: set DATABASE_URL, or use arbe start.`)
  expect(() => www(context({}), [], {})).toThrow(apart('www'))
  expect(() => backstage(context({}), [], {})).toThrow(apart('backstage'))
})
