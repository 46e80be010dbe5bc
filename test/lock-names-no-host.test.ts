import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Ranges = Readonly<Record<string, string>>

interface LockedPackage {
  readonly resolved?: string
  readonly link?: true
  readonly dependencies?: Ranges
  readonly devDependencies?: Ranges
  readonly optionalDependencies?: Ranges
}

const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
const { packages } = JSON.parse(text) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

test('the lock names no registry, so that a checkout installs from whichever one its machine uses', () => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved && !link)
  expect(named).toEqual([])
})

test('no package asks for another from git, an address or a folder', () => {
  const ranges = Object.values(packages).flatMap((it) =>
    Object.entries({ ...it.dependencies, ...it.devDependencies, ...it.optionalDependencies }),
  )
  const odd = ranges.filter(([, range]) => /^(git|https?|ssh|file|[\w-]+\/)/.test(range))
  expect(odd).toEqual([])
})
