import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = resolve(import.meta.dirname, '..')
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arbe-reporter-'))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the closing line counts a failed test, an error outside any test and a broken file as failures', async () => {
  put('passes', "test('a', () => {})\ntest('b', () => {})\ntest.skip('c', () => {})")
  put('fails', "test('a', () => { throw new Error('planned') })")
  put('rejects', "test('a', () => { void Promise.reject(new Error('planned')) })")
  put('breaks', "import './absent.ts'")
  const args = ['run', '--root', folder, `--reporter=${import.meta.dirname}/one-line-reporter.ts`]
  const vitest = spawn(process.execPath, [
    join(repository, 'node_modules/vitest/vitest.mjs'),
    ...args,
  ])
  const [output, [exitCode]] = await Promise.all([text(vitest.stdout), once(vitest, 'exit')])
  expect({ exitCode, closing: output.trim().split('\n').at(-1) }).toEqual({
    exitCode: 1,
    closing: '3 passed, 3 failed, 1 skipped',
  })
})

function put(name: string, source: string): void {
  writeFileSync(join(folder, `${name}.test.js`), `import { test } from 'vitest'\n${source}\n`)
}
