import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly resolved?: string; readonly link?: true }>
  >
}

const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
const lock = JSON.parse(text) as Lock

test('the lock names no registry, so that a checkout installs from whichever one its machine uses', () => {
  const elsewhere = Object.entries(lock.packages).filter(
    ([, { resolved, link }]) => resolved !== undefined && link !== true,
  )
  expect(elsewhere).toEqual([])
})

test('no dependency comes from git, an address or a file', () => {
  const noVersion = /^(git|github|https?|file|ssh)\b|\//
  const odd = Object.entries(lock.packages).filter(([, { version }]) =>
    noVersion.test(version ?? ''),
  )
  expect(odd).toEqual([])
})
