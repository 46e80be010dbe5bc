import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '@arbe/sdk'
import type { ImportMessage } from '@arbe/sdk/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesAtRest, openHouse, type OpenHouse, providerEnv } from './support/open-house.ts'
import { runArbe, startArbe } from './support/run-arbe.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'

let provider: ScriptedProvider
let house: OpenHouse
let other: OpenHouse
let home: string

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({ text: 'I have read it.' }))
  const env = providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl })
  house = await openHouse(env)
  other = await openHouse(env)
  home = await mkdtemp(join(tmpdir(), 'arbe-import-'))
})

afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

const envOf = ({ url, ownerToken }: OpenHouse) => ({
  HOME: home,
  ARBE_URL: url,
  ARBE_TOKEN: ownerToken,
})
const arbe = (at: OpenHouse, ...args: string[]) => runArbe(args, { env: envOf(at) })

async function threadIn(at: OpenHouse): Promise<string> {
  const { bots } = await at.owner.bots.list()
  return (await at.owner.threads.create({ bots: bots.map(({ id }) => id) })).id
}

async function entriesOf(at: OpenHouse, threadId: string): Promise<readonly Entry[]> {
  const { stdout } = await arbe(at, 'thread', 'export', threadId)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const texts = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === 'chat' ? [entry.body.text] : []))

const message = (id: string, text: string): ImportMessage => ({
  via: { bridge: 'slack', id, name: 'Alice' },
  text,
  saidAt: '2020-05-05T05:05:05Z',
})

const fileOf = async (name: string, lines: readonly object[]): Promise<string> => {
  const file = join(home, name)
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return file
}

test('[D5] an import decides nothing and asks no model, and the next turn has read it', async () => {
  const threadId = await threadIn(house)
  await house.owner.threads.import(threadId, [message('1', '@ada, the code word is plum')])
  const before = provider.calls
  await house.owner.threads.append(threadId, { kind: 'chat', text: '@ada what was it?' })
  const entries = await entriesAtRest(house.owner, threadId)

  const decisions = entries.filter(({ kind }) => kind === 'signal.thread_director.decision')
  expect(decisions.map(({ body }) => body)).toMatchObject([
    { from: 0, to: 4, rule: 'mention', requests: [{ entry: 4 }] },
    { from: 4, rule: 'bot_spoke' },
  ])
  expect(provider.calls - before).toBe(1)
  expect(provider.requests.at(-1)?.text).toContain('"via":"slack","for":"Alice"')
  expect(provider.requests.at(-1)?.text).toContain('| @ada, the code word is plum')
})

test('what one house exports another imports: the same texts and names, once, and nobody wakes', async () => {
  const from = await threadIn(house)
  const say = (text: string, more = {}) =>
    house.owner.threads.append(from, { kind: 'chat', text, ...more })
  const { seq: first } = await say('helo')
  await say('a\u202eb\u0007', { replyTo: first })
  const { seq: gone } = await say('gone')
  await house.owner.threads.import(from, [message('7', 'from before')])
  await house.owner.threads.append(from, { kind: 'chat.edit', target: first, text: 'hello' })
  await house.owner.threads.append(from, { kind: 'chat.delete', target: gone })
  await say('@ada hi')
  const before = await entriesAtRest(house.owner, from)
  const { stdout } = await arbe(house, 'thread', 'export', from)
  const file = join(home, 'thread.jsonl')
  await writeFile(file, stdout)
  const calls = provider.calls

  const to = await threadIn(other)
  const results = [
    await arbe(other, 'thread', 'import', to, file, '--json'),
    await runArbe(['thread', 'import', to, '-', '--json'], { env: envOf(other), input: stdout }),
  ]

  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(before)
  const skipped = lines.length - 5
  expect(results.map(({ code, stdout: counts }) => [code, JSON.parse(counts)])).toEqual([
    [0, { new: 5, duplicate: 0, differs: 0, skipped }],
    [0, { new: 0, duplicate: 5, differs: 0, skipped }],
  ])
  const imported = (await entriesOf(other, to)).filter((entry) => entry.kind === 'chat')
  expect(texts(imported)).toEqual([
    'hello',
    'a\u202eb\u0007',
    'from before',
    '@ada hi',
    'I have read it.',
  ])
  expect(imported.map(({ body }) => [body.via?.bridge, body.via?.name, body.replyTo])).toEqual([
    ['arbe', 'Mia', undefined],
    ['arbe', 'Mia', imported[0]?.seq],
    ['slack', 'Alice', undefined],
    ['arbe', 'Mia', undefined],
    ['arbe', 'Ada', undefined],
  ])
  expect(new Set(imported.map(({ wakes, authorKind }) => `${authorKind} ${wakes}`))).toEqual(
    new Set(['person false']),
  )
  expect(provider.calls).toBe(calls)
})

test('an import that was killed goes on where it was, however often it is run', async () => {
  const threadId = await threadIn(house)
  const all = Array.from({ length: 3_000 }, (_, at) => message(String(at), `text ${at}`))
  const file = await fileOf('many.jsonl', all)
  const killed = startArbe(['thread', 'import', threadId, file], envOf(house))
  for (;;) {
    const { head } = await house.owner.threads.get(threadId)
    if (head > 500) break
  }
  killed.child.kill('SIGKILL')
  await killed.ended

  const { stdout } = await arbe(house, 'thread', 'import', threadId, file, '--json')
  const counts = JSON.parse(stdout)
  expect(counts.new + counts.duplicate).toBe(3_000)
  expect(counts.duplicate).toBeGreaterThanOrEqual(500)
  expect(texts(await entriesOf(house, threadId))).toEqual(all.map(({ text }) => text))
})

test('what cannot be imported is said with its line, before anything is sent', async () => {
  const threadId = await threadIn(house)
  const good = message('1', 'one')
  const bad = await fileOf('bad.jsonl', [good, { text: 'no date' }])
  const torn = join(home, 'torn.jsonl')
  await writeFile(torn, `${JSON.stringify(good)}\n{"via":`)
  const own = await fileOf('own.jsonl', await entriesOf(house, threadId))
  const ran = [
    await arbe(house, 'thread', 'import', threadId, bad),
    await arbe(house, 'thread', 'import', threadId, torn),
    await arbe(house, 'thread', 'import', threadId, own),
    await arbe(house, 'thread', 'import', threadId, join(home, 'none.jsonl')),
  ]
  expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
    [2, expect.stringMatching(/^Line 2 cannot be imported: via: .*\.\n$/)],
    [2, 'Line 2 cannot be imported: it is no JSON.\n'],
    [0, ''],
    [1, expect.stringMatching(/no such file/)],
  ])
  expect(texts(await entriesOf(house, threadId))).toEqual([])
})

test('a member who is no admin imports nothing', async () => {
  const { url } = await house.owner.invite()
  const { client: ben } = await signIn(url, 'Ben')
  const { id } = await ben.threads.create({})
  await expect(ben.threads.import(id, [message('1', 'one')])).rejects.toMatchObject({
    code: 'forbidden',
  })
})
