import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCliConfig } from './config.ts'

test('with nothing set there is no house, and the login stands in the home folder', () => {
  expect(readCliConfig({})).toEqual({
    url: undefined,
    token: undefined,
    loginFile: join(homedir(), '.config/arbe/login.json'),
  })
})

test('the environment names another place, a house and a token', () => {
  const env = { XDG_CONFIG_HOME: '/c', ARBE_URL: 'http://h', ARBE_TOKEN: 'pat_1' }
  expect(readCliConfig(env)).toEqual({
    url: 'http://h',
    token: 'pat_1',
    loginFile: '/c/arbe/login.json',
  })
})

test('an empty variable is one that is not set', () => {
  const { url, token } = readCliConfig({ ARBE_URL: '', ARBE_TOKEN: '' })
  expect([url, token]).toEqual([undefined, undefined])
})
