import { openDatabase } from '@arbe/core/db/open-db'
import { groupAppender } from '@arbe/core/streams/group-appender'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { createClient } from '@arbe/sdk/client'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findPostgresFolder, startPostgresServer } from '../../test/support/postgres-server.ts'
import { startArbe } from '../../test/support/run-arbe.ts'
import { signIn } from '../../test/support/sign-in.ts'
import { quantile } from './median.ts'
import type { Report } from './report.ts'
import { watchCpu } from './server-cpu.ts'

/** One reader has at most fifty open. */
const TAILS_A_PERSON = 40
const CALLERS = 64
const SLICE_MS = 4_000
/** Appends a second while two thousand follow. */
const CALM_RATE = 50

/** Appends to one thread while live feeds of one page server follow it; callers and readers share this process, which takes its part. */
export async function run(report: Report): Promise<void> {
  if (findPostgresFolder() === undefined) return
  await using house = await openHouse(2_000 / TAILS_A_PERSON)
  const alone = await rateOf(house)
  report({ figure: 'appends to one thread, no tail', value: alone.rate, unit: '1/s' })
  await measureMany(house, report, alone.rate)
  await measureCalm(house, report)
}

async function measureMany(house: House, report: Report, alone: number): Promise<void> {
  const before = await memoryOf(house.pid)
  const tails = await follow(house, 500)
  await setTimeout(2_000)
  const memory = ((await memoryOf(house.pid)) - before) / tails.length
  report({ figure: '500 tails: memory of the page server', value: memory, unit: 'KB/tail' })
  const cpu = watchCpu([house.pid])
  const { rate, done, last } = await rateOf(house)
  await Promise.all(tails.map((tail) => tail.reached(last)))
  const name = '500 tails: appends to their thread'
  report({ figure: name, value: rate, unit: '1/s' })
  report({ figure: name, value: rate / alone, unit: '× without tails' })
  const each = (cpu() * 1_000) / (done * tails.length)
  report({ figure: '500 tails: an entry to a tail', value: each, unit: 'µs processor time' })
  tellLoss(tails)
  for (const tail of tails) tail.stop()
}

async function measureCalm(house: House, report: Report): Promise<void> {
  const tails = await follow(house, 2_000)
  const sentAt = new Map<number, number>()
  const delays: number[] = []
  for (const tail of tails)
    tail.onSeq = (seq) => delays.push(performance.now() - (sentAt.get(seq) ?? 0))
  let last = 0
  const start = performance.now()
  for (let n = 0; performance.now() - start < SLICE_MS; n += 1) {
    await setTimeout(Math.max(0, start + (n * 1_000) / CALM_RATE - performance.now()))
    const at = performance.now()
    last = await house.append()
    sentAt.set(last, at)
  }
  await Promise.all(tails.map((tail) => tail.reached(last)))
  for (const part of [0.5, 0.99])
    report({
      figure: `2,000 tails, ${CALM_RATE} appends a second: append to last byte, p${part * 100}`,
      value: quantile(delays, part),
      unit: 'ms',
    })
  tellLoss(tails)
  for (const tail of tails) tail.stop()
}

type House = Awaited<ReturnType<typeof openHouse>>

async function openHouse(people: number) {
  await using starting = new AsyncDisposableStack()
  const server = await startPostgresServer()
  starting.use(server)
  const { url: databaseUrl } = await server.createDatabase()
  const home = await mkdtemp(join(tmpdir(), 'arbe-w5-'))
  starting.defer(() => rm(home, { recursive: true }))
  const www = startArbe(['www', '--port', '0', '--json'], { HOME: home, DATABASE_URL: databaseUrl })
  starting.defer(async () => {
    www.child.kill('SIGTERM')
    await www.ended
  })
  const { url, ownerLink } = JSON.parse(await www.stdoutWith('\n'))
  const { token } = await signIn(ownerLink, 'P0')
  const owner = createClient({ baseUrl: url, token })
  const tokens = [token]
  while (tokens.length < people)
    tokens.push((await signIn((await owner.invite()).url, `P${tokens.length}`)).token)
  const ids = (await owner.people()).people.map(({ id }) => id)
  const { id } = await owner.threads.create({ title: 'W5', people: ids, bots: [] })

  const db = await openDatabase({ url: databaseUrl })
  starting.defer(() => db.close())
  const bus = await openLiveBus(db)
  starting.defer(() => bus.close())
  const [thread] = await db.query<{ house: string; author: string }>(
    'select house_id as house, created_by as author from threads where id = $1',
    [id],
  )
  if (thread === undefined) throw new Error('the thread is gone')
  const put = groupAppender(db, (hint) => bus.appended(hint))
  let n = 0
  const started = starting.move()
  return {
    url: String(url),
    tokens,
    pid: www.child.pid ?? 0,
    async append(): Promise<number> {
      const appended = await put({
        houseId: toHouseId(thread.house),
        threadId: toThreadId(id),
        key: `w5:${n++}`,
        kind: 'chat',
        authorId: toActorId(thread.author),
        authorKind: 'person',
        wakes: false,
        readable: true,
        body: { text: `message ${n}` },
      })
      if (appended.status !== 'ok') throw new Error(appended.status)
      return appended.seq
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

async function rateOf(house: House) {
  const start = performance.now()
  let done = 0
  let last = 0
  const callers = Array.from({ length: CALLERS }, async () => {
    while (performance.now() - start < SLICE_MS) {
      last = Math.max(last, await house.append())
      done += 1
    }
  })
  await Promise.all(callers)
  return { rate: (done * 1_000) / (performance.now() - start), done, last }
}

type Tail = Awaited<ReturnType<typeof openTail>>

async function follow(house: House, count: number): Promise<readonly Tail[]> {
  const tails: Tail[] = []
  while (tails.length < count)
    tails.push(...(await Promise.all(house.tokens.map((token) => openTail(house.url, token)))))
  return tails.slice(0, count)
}

const OFFSET = Buffer.from('"seq":')

/** Reads no more of what comes than the offsets in it, since two thousand of them share a process. */
async function openTail(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(`${url}/v1/feed`, { headers, agent: false }, resolve).once('error', reject)
  const response = await promise
  let waiting: (() => void) | undefined
  const tail = {
    first: 0,
    seen: 0,
    last: 0,
    onSeq: undefined as ((seq: number) => void) | undefined,
    stop: () => response.destroy(),
    async reached(seq: number): Promise<void> {
      while (tail.last < seq)
        await new Promise<void>((answer) => {
          waiting = answer
        })
    },
  }
  let rest: Buffer = Buffer.alloc(0)
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      const found = bytes.indexOf(OFFSET, at)
      const end = found === -1 ? -1 : bytes.indexOf(',', found)
      if (end === -1) break
      tail.last = Number(bytes.toString('latin1', found + OFFSET.length, end))
      tail.first ||= tail.last
      tail.seen += 1
      tail.onSeq?.(tail.last)
      at = end
    }
    rest = bytes.subarray(Math.max(at, bytes.length - 32))
    waiting?.()
  })
  return tail
}

function tellLoss(tails: readonly Tail[]): void {
  const lossy = tails.filter(({ first, last, seen }) => seen !== last - first + 1)
  if (lossy.length > 0) throw new Error(`${lossy.length} tails have gaps or doubles`)
}

/** In KB. */
async function memoryOf(pid: number): Promise<number> {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}
