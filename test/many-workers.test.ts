import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { tailThread } from '@arbe/sdk/tail-thread'
import { describe, expect, test } from 'vitest'
import { type Acknowledged, checkStream } from './support/check-stream.ts'
import { type Cluster, killAtWork, startCluster } from './support/cluster.ts'
import { followAll } from './support/follow-all.ts'
import { providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import { type Script, startScriptedProvider } from './support/scripted-provider.ts'
import { untilDecided, untilQuiet } from './support/until-quiet.ts'

const THREADS = 20
const MESSAGES = 500
const POSTING_AT_ONCE = 8

describe.skipIf(requireOrSkip('postgres'))(
  'two page servers and two workers on one Postgres',
  () => {
    test(
      '[I1][I3][I4][I5][I6][D4] 500 messages in 20 threads are stored once and answered in order, though two workers are killed at work',
      { timeout: 180_000 },
      async () => {
        await using provider = await startScriptedProvider(talkative)
        await using cluster = await startCluster(['Mia', 'Ben', 'Cleo', 'Dan'], {
          ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
          ARBE_SWEEP_MS: 'off',
          ARBE_LEASE_MS: '6000',
        })
        const { db, people, workers } = cluster
        const threads = await makeThreads(people)
        const [mia = [], ben = []] = people
        await using left = await followAll(at(mia, 0))
        await using right = await followAll(at(ben, 1))

        const deaths: Promise<boolean>[] = []
        const posted = await inLanes(POSTING_AT_ONCE, MESSAGES, async (number) => {
          if (number === MESSAGES / 2) {
            deaths.push(killAtWork(db, at(workers, 0)))
            await cluster.addWorker()
          }
          // Few later messages wake what this one leaves behind.
          if (number === MESSAGES - POSTING_AT_ONCE) deaths.push(killAtWork(db, at(workers, 1)))
          return await post(cluster, threads, number)
        })
        expect(await Promise.all(deaths)).toEqual([true, true])
        await untilQuiet(db, 90_000)

        const logs = new Map<string, readonly Entry[]>()
        for (const id of threads) logs.set(id, await readAll(at(mia, 1), id))
        const broken = [...logs].flatMap(([id, entries]) => {
          const acknowledged = posted.filter(({ threadId }) => threadId === id)
          return checkStream(entries, { quiet: true, acknowledged }).map((line) => `${id} ${line}`)
        })
        expect(broken).toEqual([])
        const said = [...logs.values()].flatMap((entries) => ofKind(entries, 'chat'))
        expect(said.filter(({ authorKind }) => authorKind === 'person').length).toBe(MESSAGES)

        const heads = new Map([...logs].map(([id, entries]) => [id, entries.length]))
        for (const feed of [left, right]) {
          await feed.reached(heads)
          expect(feed.resets).toBe(0)
          expect(differing(logs, feed.entries)).toEqual([])
        }
        const [tailed = ''] = threads
        for (const client of ben) {
          expect(await tailTo(client, tailed, heads.get(tailed) ?? 0)).toEqual(logs.get(tailed))
        }
        const turns = [...logs.values()].flatMap((entries) =>
          ofKind(entries, 'signal.thread_director.outcome'),
        )
        console.log(`${turns.length} turns, ${provider.calls} model calls`)
      },
    )
  },
)

/** Chooses when it is asked to, writes a file in every third turn, and names the other bot now and then. */
const talkative: Script = ({ number, tools, body }) => {
  const delayMs = 20
  if (tools.includes('decide')) {
    const pick = number % 4 === 0 ? 'nobody' : 'c1'
    return { delayMs, toolCalls: [{ name: 'decide', args: { pick, reason: 'in turn' } }] }
  }
  const isAfterTool = JSON.stringify(body['messages']).includes('"role":"tool"')
  if (number % 3 === 0 && !isAfterTool) {
    const args = { path: `note-${number}.txt`, content: `note ${number}` }
    return { delayMs, toolCalls: [{ name: 'write_file', args }] }
  }
  return { delayMs, text: number % 7 === 0 ? `@bo what about ${number}?` : `It is ${number}.` }
}

async function makeThreads(people: readonly (readonly ArbeClient[])[]): Promise<readonly string[]> {
  const client = at(at(people, 0), 0)
  const ids = (await client.people()).people.map(({ id }) => id)
  const bots = (await client.bots.list()).bots.map(({ id }) => id)
  const threads: string[] = []
  for (let n = 0; n < THREADS; n += 1)
    threads.push((await client.threads.create({ people: ids, bots })).id)
  return threads
}

interface Posted extends Acknowledged {
  readonly threadId: string
}

/**
 * One message by one of the people. Every third is sent a second time, under the same key, through the other server at once; after
 * every fourth its author waits for the decision.
 */
async function post(
  { people, db }: Cluster,
  threads: readonly string[],
  number: number,
): Promise<Posted> {
  const threadId = at(threads, number)
  const person = at(people, dice(number, 1))
  const text = at(TEXTS, dice(number, 2)).replace('N', String(number))
  const first = dice(number, 3)
  const servers = dice(number, 4) % 3 === 0 ? [first, first + 1] : [first]
  const answers = await Promise.all(
    servers.map((server) =>
      at(person, server).threads.append(threadId, { kind: 'chat', text }, `key-${number}`),
    ),
  )
  const [seq = 0, ...others] = new Set(answers.map((answer) => answer.seq))
  if (others.length > 0) throw new Error(`"${text}" stands at ${[seq, ...others].join(', ')}`)
  if (dice(number, 5) % 4 === 0) await untilDecided(db, threadId, seq)
  return { threadId, seq, text }
}

const TEXTS = ['@ada and number N?', 'N, anybody?', '@bo N', 'just N'] as const

/** The same fall for a number every time. */
function dice(number: number, which: number): number {
  return Math.imul(number * 8 + which, 2_654_435_761) >>> 16
}

async function readAll(client: ArbeClient, threadId: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let more = true; more;) {
    const page = await client.threads.entries(threadId, { after: entries.length, limit: 200 })
    entries.push(...page.entries)
    more = page.more
  }
  return entries
}

/** Threads of which a reader has other entries than the log, from the first that it saw. */
function differing(
  logs: ReadonlyMap<string, readonly Entry[]>,
  seen: ReadonlyMap<string, readonly Entry[]>,
): readonly string[] {
  return [...logs.keys()].filter((id) => {
    const entries = seen.get(id) ?? []
    const log = logs.get(id)?.slice((entries[0]?.seq ?? Infinity) - 1)
    return JSON.stringify(entries) !== JSON.stringify(log)
  })
}

async function tailTo(
  client: ArbeClient,
  threadId: string,
  last: number,
): Promise<readonly Entry[]> {
  const control = new AbortController()
  const entries: Entry[] = []
  for await (const entry of tailThread(client, threadId, { after: 0, signal: control.signal })) {
    entries.push(entry)
    if (entry.seq >= last) break
  }
  control.abort()
  return entries
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('an empty list')
  return item
}

async function inLanes<Result>(
  lanes: number,
  count: number,
  work: (number: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = Array.from({ length: count }, (_, number) => number).values()
  const lane = async (): Promise<void> => {
    for (const number of waiting) results.push(await work(number))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
