import { type ArbeClient, createClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenPromises } from './support/kept-promises.ts'
import { type RunningArbe, startArbe } from './support/run-arbe.ts'
import { signIn } from './support/sign-in.ts'
import type { Posted } from './support/steady-load.ts'

// In a long run: ARBE_KILLS=200.
const KILLS = Number(process.env['ARBE_KILLS'] ?? 6)
/** While the folder is being made, before and after it has its name, and while the database opens. */
const DURING_FIRST_STARTS_MS = [150, 400, 700, 1_000, 1_500, 2_200]

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-killed-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

test(
  '[R-50][I1][I5][I6] an embedded house that is killed in its first starts and then again and again opens each time with all it acknowledged',
  { timeout: 90_000 + KILLS * 15_000 },
  async () => {
    for (const ms of DURING_FIRST_STARTS_MS) {
      const start = startHouse()
      await sleep(ms)
      await kill(start)
    }
    const first = startHouse()
    const { ownerLink } = JSON.parse(await first.stdoutWith('\n'))
    const { client, token } = await signIn(ownerLink, 'Mia')
    const bots = (await client.bots.list()).bots.map(({ id }) => id)
    const threadId = (await client.threads.create({ bots })).id
    await kill(first)

    const posted: Posted[] = []
    for (let n = 0; n < KILLS; n += 1) {
      const house = startHouse()
      const { url } = JSON.parse(await house.stdoutWith('\n'))
      const posting = postUntilItDies({ url, token, threadId, posted })
      await sleep(100 + ((n * 317) % 900))
      await kill(house)
      await posting
    }

    const last = startHouse()
    const { url } = JSON.parse(await last.stdoutWith('\n'))
    const again = createClient({ baseUrl: url, token })
    // What was on its way at the last death may be stored, and is the same message then.
    posted.push(await say(again, threadId, posted.length))
    const broken = await brokenPromises(again, posted)
    await kill(last)
    expect(broken).toEqual([])
    console.log(`${posted.length} messages through ${KILLS} deaths`)
  },
)

function startHouse(): RunningArbe {
  const args = ['start', '--port', '0', '--data', join(home, 'data'), '--json']
  return startArbe(args, { HOME: home, ARBE_CHANGES_PER_SECOND: '100000' })
}

async function kill({ child, ended }: RunningArbe): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

interface Posting {
  readonly url: string
  readonly token: string
  readonly threadId: string
  readonly posted: Posted[]
}

/** What was not acknowledged by the house before is said again first, under its key. */
async function postUntilItDies({ url, token, threadId, posted }: Posting): Promise<void> {
  const client = createClient({ baseUrl: url, token })
  for (;;) {
    const acknowledged = await say(client, threadId, posted.length).catch(() => undefined)
    if (acknowledged === undefined) return
    posted.push(acknowledged)
  }
}

async function say(client: ArbeClient, threadId: string, number: number): Promise<Posted> {
  const text = `message ${number}`
  const { seq } = await client.threads.append(threadId, { kind: 'chat', text }, `key-${number}`)
  return { threadId, seq, text }
}
