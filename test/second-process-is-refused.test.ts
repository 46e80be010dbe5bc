import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ran, runArbe, startArbe } from './support/run-arbe.ts'

let home: string
let startArgs: readonly string[]
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-twice-'))
  startArgs = ['start', '--port', '0', '--data', join(home, 'data'), '--json']
})
afterAll(() => rm(home, { recursive: true, force: true }))

test('[R-49] a second start on a folder is refused at once and names the first; when that is killed the next one serves', async () => {
  const env = { HOME: home }
  const first = startArbe(startArgs, env)
  await first.stdoutWith('\n')

  const second = [await timed(env), await timed(env), await timed(env)]
  first.child.kill('SIGKILL')
  await first.ended
  const next = startArbe(startArgs, env)
  const served = JSON.parse(await next.stdoutWith('\n'))
  next.child.kill('SIGKILL')
  await next.ended

  const holder = `process ${first.child.pid} since \\S+`
  const sentence = new RegExp(
    `^the data folder ${home}/data is in use by ${holder}: stop that one, or choose another folder\n$`,
  )
  const refused = { code: 1, stdout: '', stderr: expect.stringMatching(sentence) }
  expect(second.map(({ ran }) => ran)).toEqual([refused, refused, refused])
  // The quickest of them: the others may have waited for a busy machine.
  expect(Math.min(...second.map(({ ms }) => ms))).toBeLessThan(2_000)
  expect(served.engine).toBe('pglite')
}, 120_000)

async function timed(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly ran: Ran; readonly ms: number }> {
  const begun = performance.now()
  const ran = await runArbe(startArgs, { env })
  return { ran, ms: performance.now() - begun }
}
