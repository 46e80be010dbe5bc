import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { allowed, plants } from './lint-plants.ts'

interface Report {
  readonly diagnostics: readonly {
    readonly code?: string
    readonly message: string
    readonly filename: string
  }[]
}

const repository = resolve(import.meta.dirname, '..')
let folder = ''
let report: Report = { diagnostics: [] }

// A copy of the settings over the same folder names, outside the working tree and gone afterwards.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arbe-lint-'))
  for (const file of ['oxlint.config.ts', 'tsconfig.json', 'package.json'])
    cpSync(join(repository, file), join(folder, file))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const ringEnd = "import { a } from './plant-ring.ts'\nexport const b = () => a\n"
  put('packages/core/bots/plant-ring-end.ts', ringEnd)
  put('packages/core/db/executor.ts', 'export type Executor = string\n')
  for (const { path, source } of [...plants, ...allowed]) put(path, source)
  report = await lint()
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.for(plants)('lint reports: $what', ({ path, rule }) => {
  expect(reportedIn(path)).toContain(rule)
})

test.for(allowed)('lint lets pass: $path', ({ path }) => {
  expect(reportedIn(path)).toEqual([])
})

function reportedIn(path: string): readonly string[] {
  return report.diagnostics
    .filter(({ filename }) => filename === path)
    .map(({ code, message }) => code ?? message)
}

function put(path: string, source: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, source)
}

function lint(): Promise<Report> {
  const oxlint = join(repository, 'node_modules/oxlint/bin/oxlint')
  const args = [oxlint, '--format', 'json', 'packages', 'apps']
  return new Promise((done, fail) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, maxBuffer: 1 << 26 },
      (_error, stdout, stderr) => {
        try {
          done(JSON.parse(stdout) as Report)
        } catch (cause) {
          fail(new Error(`oxlint gave no report: ${stdout}${stderr}`, { cause }))
        }
      },
    )
  })
}
