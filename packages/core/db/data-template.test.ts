import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { migrate } from './migrate.ts'
import { openPglite } from './pglite-db.ts'

let cache: string
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'arbe-cache-'))
})
afterAll(() => rm(cache, { recursive: true }))

test(
  'two processes that make the template at once leave one, whole and migrated',
  { timeout: 120_000 },
  async () => {
    const made = await Promise.all([makeElsewhere(), makeElsewhere()])
    const [template = ''] = await readdir(cache)
    expect(made).toEqual([join(cache, template), join(cache, template)])
    expect(await readdir(cache)).toEqual([template])
    const database = await openPglite(join(cache, template), 'off')
    await migrate(database)
    expect(await database.query('select count(*) as houses from houses')).toEqual([{ houses: 0 }])
    await database.close()
  },
)

async function makeElsewhere(): Promise<string> {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `const { prepareTemplate } = await import(${JSON.stringify(import.meta.resolve('./data-template.ts'))})
    process.stdout.write(await prepareTemplate(${JSON.stringify(cache)}))`,
  ])
  let answer = ''
  child.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  await once(child, 'close')
  return answer
}
