import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const all = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))].toSorted((a, b) =>
    a.localeCompare(b),
  )

test('the table of settings names every variable that is read, and no other', () => {
  const sources = globSync('{apps,packages}/*/{src,models}/**/{config,models-config}.ts', {
    cwd: root,
  })
  const code = sources
    .filter((path) => !path.includes('node_modules'))
    .map(read)
    .join('\n')
  const variables = all(code, /'([A-Z][A-Z0-9_]+[A-Z0-9])'/g)
  const table = read('docs/configuration.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const named = all(table.map((line) => line.split('|')[1] ?? '').join(), /`([A-Z][A-Z0-9_]+)`/g)
  expect(variables.length).toBeGreaterThan(20)
  expect(named).toEqual(variables)
})

test('the table of errors names every code with its status, and no other', () => {
  const code = read('apps/www/src/server/problem.ts')
  const codes = Array.from(code.matchAll(/^ {2}(\w+): \{ status: (\d+)/gm), ([, name, status]) => [
    name,
    status,
  ])
  const rows = Array.from(
    read('docs/errors.md').matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` \| (\d+)/gm),
    ([, anchor, name, status]) => [anchor === name ? name : 'another anchor', status],
  )
  expect(codes.length).toBeGreaterThan(15)
  expect(rows).toEqual(codes)
})
