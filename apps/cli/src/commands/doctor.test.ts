import { expect, test } from 'vitest'
import { requireOrSkip } from '../../../../test/support/require.ts'
import { doctor } from './doctor.ts'

const noBoxes = requireOrSkip('sandbox') !== undefined

async function examine(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const shown: string[] = []
  const output = {
    data: (_: unknown, lines: () => readonly string[]) => void shown.push(...lines()),
    note: () => undefined,
  }
  const config = { url: undefined, token: undefined, loginFile: '' }
  const code = await doctor({ env: { ARBE_DATA: '/nowhere', ...env }, config, output })
  expect(code).toBe(shown.every((line) => line.startsWith('ok ')) ? 0 : 1)
  return shown.filter(
    (line) => !line.startsWith('ok ') && !(noBoxes && /^weak {4}sandbox /.test(line)),
  )
}

test('with nothing set nothing is wrong', async () => {
  expect(await examine({})).toEqual([])
})

test('where others may come in is weak, also with a secret', async () => {
  expect(await examine({ ARBE_HOST: '0.0.0.0', ARBE_SECRET: 's'.repeat(32) })).toEqual([
    'weak    settings  listens on 0.0.0.0:7300, which others can reach',
  ])
})

test.each([
  [{ ARBE_PORT: 'abc' }, /^broken {2}settings {2}ARBE_PORT must be a port .*"abc"\.$/],
  [{ ARBE_LEASE_MS: 'long' }, /^broken {2}settings {2}ARBE_LEASE_MS .*"long"\.$/],
  [{ ARBE_PROVIDERS: '{' }, /^broken {2}models {4}ARBE_PROVIDERS is not JSON$/],
  [
    { DATABASE_URL: 'postgres://a:secret@127.0.0.1:9/x' },
    /^broken {2}database {2}no Postgres answers at postgres:\/\/127\.0\.0\.1:9\/x: /,
  ],
])('%j is one broken thing', async (env, line) => {
  const found = await examine(env)
  expect(found.length).toBe(1)
  expect(found[0]).toMatch(line)
})
