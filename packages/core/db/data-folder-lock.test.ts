import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { DataFolderInUse, lockDataFolder } from './data-folder-lock.ts'

let folder: string
let holder: ChildProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbe-lock-'))
})
afterEach(async () => {
  holder?.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

test('[R-49] a second process is refused at once, with a sentence that names the holder', async () => {
  const pid = await holdElsewhere()
  const start = performance.now()
  expect(() => lockDataFolder(folder)).toThrow(DataFolderInUse)
  expect(performance.now() - start).toBeLessThan(500)
  expect(() => lockDataFolder(folder)).toThrow(
    new RegExp(
      `^the data folder ${folder} is in use by process ${pid} since 20\\S+: stop that one`,
    ),
  )
})

test('[R-49] a holder that was killed frees the folder', async () => {
  await holdElsewhere()
  const exited = once(holder ?? process, 'exit')
  holder?.kill('SIGKILL')
  await exited
  expect(takeAndFree).not.toThrow()
})

test('[R-49] a holder file left by a process that is no more keeps nobody out', () => {
  takeAndFree()
  expect(takeAndFree).not.toThrow()
})

test('the same process cannot take it twice', () => {
  const held = lockDataFolder(folder)
  expect(takeAndFree).toThrow(`in use by process ${process.pid}`)
  held[Symbol.dispose]()
})

function takeAndFree(): void {
  lockDataFolder(folder)[Symbol.dispose]()
}

async function holdElsewhere(): Promise<number | undefined> {
  holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { lockDataFolder } = await import(${JSON.stringify(import.meta.resolve('./data-folder-lock.ts'))})
      globalThis.held = lockDataFolder(${JSON.stringify(folder)})
      process.stdout.write('held')
      setInterval(() => undefined, 60_000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (holder.stdout !== null) await once(holder.stdout, 'data')
  return holder.pid
}
