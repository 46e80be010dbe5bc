import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { openDatabase } from './open-db.ts'

let dataDir: string
let writer: ChildProcess | undefined
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'arbe-open-')), 'data')
})
afterEach(async () => {
  writer?.kill('SIGKILL')
  await rm(join(dataDir, '..'), { recursive: true })
})

test(
  '[R-49] a folder that a live process writes is refused to a second one, in a moment',
  { timeout: 120_000 },
  async () => {
    await writeElsewhere(1)
    const start = performance.now()
    await expect(openDatabase({ dataDir })).rejects.toThrow(`in use by process ${writer?.pid}`)
    expect(performance.now() - start).toBeLessThan(2_000)
  },
)

test(
  'what was acknowledged before a kill -9 is there at the next start',
  { timeout: 120_000 },
  async () => {
    const acknowledged = await writeElsewhere(50)
    const exited = once(writer ?? process, 'exit')
    writer?.kill('SIGKILL')
    await exited
    const database = await openDatabase({ dataDir })
    const rows = await database.query<{ id: string }>('select id from houses order by id')
    await database.close()
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...acknowledged]))
  },
)

/** A process that makes houses as fast as it can; resolves with those it says are stored, once there are enough. */
async function writeElsewhere(enough: number): Promise<readonly string[]> {
  writer = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { openDatabase } = await import(${JSON.stringify(import.meta.resolve('./open-db.ts'))})
      const database = await openDatabase({ dataDir: ${JSON.stringify(dataDir)} })
      for (let n = 0; ; n++) {
        await database.query('insert into houses (id, name) values ($1, $1)', ['hse_' + n])
        process.stdout.write('hse_' + n + '\\n')
      }`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  // It goes on writing, and has to live on, after enough was read.
  for await (const chunk of writer.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk)
    const whole = said.split('\n').slice(0, -1)
    if (whole.length < enough) continue
    writer.stdout?.resume()
    return whole
  }
  throw new Error('the writer ended')
}
