import type { Entry } from '@arbe/sdk'
import { type ArbeClient, createClient } from '@arbe/sdk/client'
import { followFeed } from '@arbe/sdk/live-feed'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { type Gate, gate } from './support/gate.ts'
import { entriesAtRest, providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import { type RunningArbe, startArbe } from './support/run-arbe.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'

// Real processes, told to stop by a signal in the middle of a model's answer.

const TIMEOUT = 120_000

test(
  '[R-24] a house told to stop in the middle of an answer finishes it, and has it after the next start',
  { timeout: TIMEOUT },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'arbe-stopping-'))
    await using provider = await startScriptedProvider(() => ({ text: 'No question is new.' }))
    const env = { HOME: home, ...envOf(provider) }
    const args = ['start', '--port', '0', '--data', join(home, 'data'), '--json']
    const house = startArbe(args, env)
    const { ownerLink } = JSON.parse(await house.stdoutWith('\n'))
    const { client: mia, token } = await signIn(ownerLink, 'Mia')
    const threadId = await newThread(mia)

    const answer = heldAnswer(provider)
    await mia.threads.append(threadId, { kind: 'chat', text: '@ada hello' })
    await answer.asked.passed
    house.child.kill('SIGTERM')
    await stopping(house)
    answer.given.open()
    expect((await house.ended).code).toBe(0)

    const next = startArbe(args, env)
    const { url } = JSON.parse(await next.stdoutWith('\n'))
    const entries = await entriesAtRest(createClient({ baseUrl: url, token }), threadId)
    next.child.kill('SIGTERM')
    expect((await next.ended).code).toBe(0)
    expect(said(entries)).toEqual(['@ada hello', 'No question is new.'])
    expect([checkStream(entries, { quiet: true }), provider.calls]).toEqual([[], 1])
    await rm(home, { recursive: true, force: true })
  },
)

test.skipIf(requireOrSkip('postgres'))(
  '[R-24] a worker told to stop hands back what does not end in time, and another answers once',
  { timeout: TIMEOUT },
  async () => {
    await using provider = await startScriptedProvider(() => ({ text: 'Late, but here.' }))
    // Nobody finds the thread by looking for it.
    const env = { ...envOf(provider), ARBE_POLL_MS: '60000', ARBE_SWEEP_MS: 'off' }
    await using cluster = await startCluster(['Mia'], env, { workers: 1 })
    const { mia, threadId, worker, answer } = await midAnswer(cluster, provider)
    await cluster.addWorker()

    const told = performance.now()
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    const exited = performance.now()
    await expect.poll(() => provider.calls, { timeout: 10_000, interval: 5 }).toBe(2)
    const claimed = performance.now()
    answer.given.open()
    const entries = await entriesAtRest(mia, threadId)
    expect(said(entries)).toEqual(['@ada hello', 'Late, but here.'])
    expect(outcomes(entries)).toEqual(['replied'])
    expect(checkStream(entries, { quiet: true })).toEqual([])
    // A second for the turn. What is over is the machine's.
    const times = { exit: exited - told, next: claimed - exited }
    expect(times.exit).toBeLessThan(5_000)
    expect(times.next).toBeLessThan(1_000)
    console.log(`exit ${times.exit.toFixed()} ms, next claim ${times.next.toFixed()} ms after it`)
  },
)

test.skipIf(requireOrSkip('postgres'))(
  '[R-24] a second signal, of either kind, ends a worker at once, and its turn is taken up after its lease',
  { timeout: TIMEOUT },
  async () => {
    await using provider = await startScriptedProvider(() => ({ text: 'Late, but here.' }))
    const slowly = { ...envOf(provider), ARBE_SHUTDOWN_MS: '60000', ARBE_LEASE_MS: '2000' }
    await using cluster = await startCluster(['Mia'], slowly, { workers: 1 })
    const { mia, threadId, worker, answer } = await midAnswer(cluster, provider)

    worker.child.kill('SIGTERM')
    await stopping(worker)
    const told = performance.now()
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(130)
    expect(performance.now() - told).toBeLessThan(3_000)
    answer.given.open()
    await cluster.addWorker()
    const entries = await entriesAtRest(mia, threadId)
    expect([said(entries), outcomes(entries)]).toEqual([
      ['@ada hello', 'Late, but here.'],
      ['replied'],
    ])
  },
)

test.skipIf(requireOrSkip('postgres'))(
  '[R-24] a page server told to stop answers what it is asked, ends its feeds in good order, and their readers go on elsewhere',
  { timeout: TIMEOUT },
  async () => {
    await using provider = await startScriptedProvider(() => ({ text: 'Here.' }))
    await using cluster = await startCluster(['Mia'], envOf(provider), { workers: 0 })
    const [[first, second] = []] = cluster.people
    const [leaving, staying] = cluster.www
    const [token] = cluster.tokens
    if (!first || !second || !leaving || !staying || !token) throw new Error('two page servers')
    const threadId = await newThread(first)
    await using feed = readFeed([leaving.url, staying.url], token)
    await feed.live
    const posting = postSlowly(leaving.url, token, { threadId, text: 'hello' })
    await posting.begun
    leaving.child.kill('SIGTERM')
    await stopping(leaving)
    posting.end()
    expect(await posting.status).toBe(201)
    expect((await leaving.ended).code).toBe(0)
    expect(feed.cleanEnds).toBe(1)

    await second.threads.append(threadId, { kind: 'chat', text: 'and again' })
    await expect.poll(() => feed.texts, { timeout: 10_000 }).toEqual(['hello', 'and again'])
    expect(feed.resets).toBe(0)
  },
)

function envOf(provider: ScriptedProvider): Readonly<Record<string, string>> {
  const { openaiBaseUrl: baseUrl } = provider
  return { ...providerEnv({ kind: 'openai', baseUrl }), ARBE_SHUTDOWN_MS: '1000' }
}

interface HeldAnswer {
  readonly asked: Gate
  readonly given: Gate
}

/** The provider's next answer comes when it is given, whoever is still there; those after it come at once. */
function heldAnswer(provider: ScriptedProvider): HeldAnswer {
  const [asked, given] = [gate(), gate()]
  const before = provider.calls
  provider.use(async ({ number }) => {
    if (number === before + 1) {
      asked.open()
      await given.passed
    }
    return { text: before === 0 && number === 1 ? 'No question is new.' : 'Late, but here.' }
  })
  return { asked, given }
}

async function midAnswer(cluster: Cluster, provider: ScriptedProvider) {
  const [[mia] = []] = cluster.people
  const [worker] = cluster.workers
  if (mia === undefined || worker === undefined) throw new Error('nobody is there')
  const threadId = await newThread(mia)
  const answer = heldAnswer(provider)
  await mia.threads.append(threadId, { kind: 'chat', text: '@ada hello' })
  await answer.asked.passed
  return { mia, threadId, worker, answer }
}

async function newThread(client: ArbeClient): Promise<string> {
  const { bots } = await client.bots.list()
  return (await client.threads.create({ bots: bots.map(({ id }) => id) })).id
}

/** It has heard the signal. */
async function stopping({ child }: RunningArbe): Promise<void> {
  const { stderr } = child
  if (stderr === null) throw new Error('its notes are read')
  for (let note = ''; !note.includes('Stopping');) note += String(await once(stderr, 'data'))
}

const said = (entries: readonly Entry[]): readonly string[] =>
  ofKind(entries, 'chat').map(({ body }) => body.text)

const outcomes = (entries: readonly Entry[]): readonly string[] =>
  ofKind(entries, 'signal.thread_director.outcome').map(({ body }) => body.status)

interface Feed extends AsyncDisposable {
  readonly live: Promise<void>
  readonly texts: readonly string[]
  readonly resets: number
  /** Connections that their server ended as one that is done. */
  readonly cleanEnds: number
}

/** Reads on from the first of these servers that is there. */
function readFeed([first, other]: readonly [string, string], token: string): Feed {
  const ended = new AbortController()
  const { promise: live, resolve } = Promise.withResolvers<void>()
  const seen = { texts: [] as string[], resets: 0, cleanEnds: 0 }
  const open = async (headers: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    const get = (url: string): Promise<Response> =>
      fetch(`${url}/v1/feed`, { headers: { ...headers, authorization: `Bearer ${token}` }, signal })
    const response = await get(first).catch(() => get(other))
    const toEnd = new TransformStream({ flush: () => void (seen.cleanEnds += 1) })
    return new Response(response.body?.pipeThrough(toEnd), response)
  }
  const onStatus = (status: string): void => {
    if (status === 'live') resolve()
  }
  const reading = read()
  return {
    live,
    get texts() {
      return seen.texts
    },
    get resets() {
      return seen.resets
    },
    get cleanEnds() {
      return seen.cleanEnds
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      await reading
    },
  }

  async function read(): Promise<void> {
    for await (const event of followFeed({ open, onStatus, signal: ended.signal })) {
      if (event.type === 'reset') seen.resets += 1
      if (event.type === 'entry' && event.entry.kind === 'chat')
        seen.texts.push(event.entry.body.text)
    }
  }
}

/** A message whose second half comes only when it is told to. */
function postSlowly(
  url: string,
  token: string,
  { threadId, text }: { readonly threadId: string; readonly text: string },
) {
  const body = JSON.stringify({ kind: 'chat', text })
  const posting = request(`${url}/v1/threads/${threadId}/entries`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'idempotency-key': 'slowly',
    },
  })
  const begun = new Promise<void>((resolve) => posting.write(body.slice(0, 5), () => resolve()))
  const status = once(posting, 'response').then(([response]) => {
    response.resume()
    return response.statusCode as unknown
  })
  return { begun, status, end: () => void posting.end(body.slice(5)) }
}
