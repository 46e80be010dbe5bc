import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Entry } from '@arbe/sdk'
import type { Bot, Thread, ThreadSummary } from '@arbe/sdk/api'
import { medianCpu } from './support/cpu-of-process.ts'
import { entriesUntil, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import { requireOrSkip } from './support/require.ts'
import { launcher, type Ran, runArbe, startArbe } from './support/run-arbe.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

let house: OpenHouse
let silentProvider: ScriptedProvider
let home: string
let bots: readonly Bot[]
/** A machine on which nobody has logged in. */
const noBoxes = requireOrSkip('sandbox') !== undefined
const stranger = (): Record<string, string> => ({ HOME: home, XDG_CONFIG_HOME: join(home, 'none') })
const owner = (): Record<string, string> => ({
  ...stranger(),
  ARBE_URL: house.url,
  ARBE_TOKEN: house.ownerToken,
})

beforeAll(async () => {
  silentProvider = await startScriptedProvider(() => ({ silent: true }))
  const baseUrl = silentProvider.openaiBaseUrl
  house = await openHouse({
    ...providerEnv({ kind: 'openai', baseUrl }),
    ARBE_MODEL: 'demo/demo',
  })
  home = await mkdtemp(join(tmpdir(), 'arbe-home-'))
  ;({ bots } = await house.owner.bots.list())
})

afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await silentProvider[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

const arbe = (...args: readonly string[]): Promise<Ran> => runArbe(args, { env: owner() })
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape of what it asked for
const jsonOf = ({ stdout }: Ran): any => JSON.parse(stdout)
const botIds = (): string[] => bots.map(({ id }) => id)

/** A thread of Mia with both bots of the demo house. */
async function newThread(): Promise<string> {
  return (await house.owner.threads.create({ bots: botIds() })).id
}

// Each waits for processes most of its time, so they wait together.
describe.concurrent('login', () => {
  test('an invitation gives this machine a token that nobody else can read', async () => {
    const { url } = await house.owner.invite()
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'ben') }
    // A file that an earlier program left open for all.
    await mkdir(join(home, 'ben/arbe'), { recursive: true })
    await writeFile(join(home, 'ben/arbe/login.json'), '{}', { mode: 0o644 })

    const ran = await runArbe(['login', url, '--name', 'Ben'], { env })

    expect(ran).toEqual({ code: 0, stdout: `Logged in to ${house.url} as Ben.\n`, stderr: '' })
    const file = join(home, 'ben/arbe/login.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      url: house.url,
      token: expect.stringMatching(/^pat_/),
    })
    expect((await runArbe(['thread', 'ls'], { env })).code).toBe(0)
  })

  test('what is no link is refused as it was typed', async () => {
    expect(await runArbe(['login', 'http://127.0.0.1/x'], { env: stranger() })).toEqual({
      code: 2,
      stdout: '',
      stderr: '"http://127.0.0.1/x" is no link of a house (http://…/join/…).\n',
    })
  })

  test('a link that does not work is not allowed', async () => {
    const ran = await runArbe(['login', `${house.url}/join/inv_none`], { env: stranger() })
    expect([ran.code, ran.stdout]).toEqual([4, ''])
  })

  test('without a login every client command says how to get one', async () => {
    expect(await runArbe(['thread', 'ls'], { env: stranger() })).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'Log in first: arbe login <link>, with the owner’s link of the first start or an invitation.\n',
    })
  })

  test('a login that cannot be read asks for a new one', async () => {
    await mkdir(join(home, 'torn/arbe'), { recursive: true })
    const file = join(home, 'torn/arbe/login.json')
    await writeFile(file, '{"url": "http://127')
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'torn') }
    expect(await runArbe(['bot', 'ls'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} holds no login. Log in again: arbe login <link>.\n`,
    })
  })

  test('an address without a token is refused, where it would speak to another house', async () => {
    const env = { ...stranger(), ARBE_URL: house.url }
    expect(await runArbe(['bot', 'ls'], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ARBE_URL and ARBE_TOKEN go together: set both, or neither.\n',
    })
  })
})

describe.concurrent('threads and bots', () => {
  test('a thread is made with bots by handle, listed and shown', async () => {
    const made: Thread = jsonOf(
      await arbe('thread', 'new', 'Release', '--bot', 'ada,@bo', '--json'),
    )
    expect(made).toEqual(await house.owner.threads.get(made.id))
    expect(made.bots.map(({ handle }) => handle)).toEqual(['ada', 'bo'])

    const listed: readonly ThreadSummary[] = jsonOf(await arbe('thread', 'ls', '--json'))
    const { id, title, head, lastAt } = made
    expect(listed.find((thread) => thread.id === made.id)).toEqual({
      id,
      title,
      head,
      lastAt,
      newsTo: head,
    })

    const { stdout } = await arbe('thread', 'show', made.id)
    expect(stdout).toContain(`Release (${made.id})`)
    expect(stdout).toContain('bot     Ada @ada, auto, demo/demo')
    expect(stdout).toContain('person  Mia @')
  })

  test('a bot is added and changed, and what an edit does not name stays', async () => {
    const made = jsonOf(
      await arbe('bot', 'add', 'Cleo', '--mode', 'mention', '--prompt', 'You plan.', '--json'),
    )
    expect(made).toMatchObject({ name: 'Cleo', handle: 'cleo', triggerMode: 'mention' })

    const changed = await arbe('bot', 'edit', '@cleo', '--mode', 'house', '--voice', 'Short.')

    expect(changed).toEqual({
      code: 0,
      stdout: `${made.id}  Cleo @cleo  as the house  default model\n`,
      stderr: '',
    })
    const now = (await house.owner.bots.list()).bots.find(({ id }) => id === made.id)
    expect(now).toEqual({ ...made, triggerMode: null, voice: 'Short.' })
  })

  test('a bot is muted for a time and unmuted', async () => {
    const thread = await newThread()
    const muted = await arbe('thread', 'mute', thread, '@ada', '--for', '1h')
    expect(muted.stdout).toMatch(/^ {2}bot {5}Ada @ada, muted until \d\d:\d\d/)
    const [ada, bo] = (await house.owner.threads.get(thread)).bots
    const left = (Date.parse(ada?.mutedUntil ?? '') - Date.now()) / 60_000
    expect([ada?.muted, Math.round(left), bo?.muted]).toEqual([true, 60, false])

    const unmuted = await arbe('thread', 'unmute', thread, 'ada')
    expect(unmuted.stdout).toBe('  bot     Ada @ada, auto, demo/demo\n')
  })

  test('banter and limits are set, and what is not named stays', async () => {
    const thread = await newThread()
    const set = await arbe('thread', 'set', thread, '--banter', 'on', '--limit-per-thread', '12')
    expect(set).toEqual({
      code: 0,
      stdout:
        '  limits  3 turns a bot and 12 a thread without a word by a person\n' +
        '  banter  on: bots may answer each other\n',
      stderr: '',
    })
    await arbe('thread', 'set', thread, '--limit-per-bot', '2')
    const { banter, limitPerBot, limitPerThread } = await house.owner.threads.get(thread)
    expect({ banter, limitPerBot, limitPerThread }).toEqual({
      banter: true,
      limitPerBot: 2,
      limitPerThread: 12,
    })
    expect((await arbe('thread', 'set', thread)).code).toBe(2)
  })

  test('who is not there is named with those who are', async () => {
    const ran = await arbe('thread', 'new', '--bot', 'zoe')
    expect([ran.code, ran.stdout]).toEqual([3, ''])
    expect(ran.stderr).toMatch(/^The house has no "zoe"; it has @ada, @bo/)
  })
})

describe.concurrent('post', () => {
  test('prints the offset, and takes a text from stdin without its last line end', async () => {
    const thread = await newThread()
    expect(await arbe('post', thread, 'said')).toEqual({ code: 0, stdout: '3\n', stderr: '' })
    const piped = await runArbe(['post', thread], { env: owner(), input: 'one\ntwo\n' })
    expect(piped.code).toBe(0)
    const { entries } = await house.owner.threads.entries(thread)
    const texts = entries.flatMap((entry) => (entry.kind === 'chat' ? [entry.body.text] : []))
    expect(texts.slice(0, 2)).toEqual(['said', 'one\ntwo'])
  })

  test('the same key twice is one message, and with other words a conflict', async () => {
    const thread = await newThread()
    const once = jsonOf(await arbe('post', thread, 'once', '--key', 'k', '--json'))
    const again = jsonOf(await arbe('post', thread, 'once', '--key', 'k', '--json'))
    expect([once, again]).toEqual([
      { seq: 3, duplicate: false },
      { seq: 3, duplicate: true },
    ])
    expect((await arbe('post', thread, 'other', '--key', 'k')).code).toBe(5)
  })

  test('--wait outcome prints the reply alone, and beside it who was chosen', async () => {
    const thread = await newThread()
    const ran = await arbe('post', thread, '@ada hello', '--wait', 'outcome')
    const { entries } = await house.owner.threads.entries(thread)
    const reply = entries.findLast((entry) => entry.kind === 'chat')
    expect(ran).toEqual({
      code: 0,
      stdout: `${reply?.kind === 'chat' ? reply.body.text : ''}\n`,
      stderr: 'Ada was asked: named in a message · free\n',
    })
    expect(reply?.authorKind).toBe('bot')
  })

  test('--wait outcome ends with 6 when nobody speaks; --wait decision does not', async () => {
    const thread = await newThread()
    expect(await arbe('post', thread, 'Thanks!', '--wait', 'outcome')).toEqual({
      code: 6,
      stdout: '',
      stderr: 'Nobody: thanks only · free\n',
    })
    const waited = await arbe('post', thread, 'Thanks!', '--wait', 'decision', '--json')
    expect(waited.code).toBe(0)
    expect(jsonOf(waited)).toMatchObject({
      decision: { speaker: null, rule: 'acknowledgement' },
      outcome: null,
      reply: null,
    })
  })

  test('a wait that takes too long ends with 124', async () => {
    const thread = await threadWithSilentBot('Sloth')
    const ran = await arbe('post', thread, '@sloth?', '--wait', 'outcome', '--timeout', '0.5')
    await house.owner.threads.append(thread, { kind: 'thread.stop' })
    expect([ran.code, ran.stdout]).toEqual([124, ''])
    expect(ran.stderr).toMatch(/^Nothing .* message 3 in 0\.5 s\.\n$/)
  })

  test('an interrupt ends the wait with 130', async () => {
    const thread = await threadWithSilentBot('Snail')
    const post = startArbe(['post', thread, '@snail?', '--wait', 'outcome'], owner())
    await entriesUntil(house.owner, thread, ({ kind }) => kind === 'chat')
    post.child.kill('SIGINT')
    const ran = await post.ended
    await house.owner.threads.append(thread, { kind: 'thread.stop' })
    expect(ran).toEqual({ code: 130, stdout: '', stderr: 'Interrupted.\n' })
  })
})

async function threadWithSilentBot(name: string): Promise<string> {
  const { id } = await house.owner.bots.create({ name, model: 'scripted/m' })
  return (await house.owner.threads.create({ bots: [...botIds(), id] })).id
}

describe.concurrent('tail', () => {
  test('prints what is there, goes on as it comes, and an interrupt ends it with 130', async () => {
    const thread = await newThread()
    await house.owner.threads.append(thread, { kind: 'chat', text: 'before' })
    const tail = startArbe(['tail', thread, '--json'], owner())
    await tail.stdoutWith('before')

    await house.owner.threads.append(thread, { kind: 'chat', text: 'meanwhile' })
    await tail.stdoutWith('meanwhile')
    tail.child.kill('SIGINT')

    const { code, stdout, stderr } = await tail.ended
    expect([code, stderr]).toEqual([130, 'Interrupted.\n'])
    const printed = entriesIn(stdout)
    const { entries } = await house.owner.threads.entries(thread)
    expect(printed).toEqual(entries.slice(0, printed.length))
  })

  test('goes on behind an offset and ends at the last entry where it is told to', async () => {
    const thread = await newThread()
    for (const text of ['one', 'two', 'three'])
      await house.owner.threads.append(thread, { kind: 'chat', text })
    const ran = await arbe('tail', thread, '--after', '4', '--no-follow', '--json')
    const { entries } = await house.owner.threads.entries(thread, { after: 4 })
    const printed = entriesIn(ran.stdout)
    expect([ran.code, printed.length > 0]).toEqual([0, true])
    expect(printed).toEqual(entries.slice(0, printed.length))
    expect(printed[0]?.seq).toBe(5)
  })

  test('ends quietly when its reader has read enough', async () => {
    const thread = await newThread()
    await house.owner.threads.append(thread, { kind: 'chat', text: 'enough' })
    const tail = startArbe(['tail', thread], owner())
    await tail.stdoutWith('enough')
    tail.child.stdout?.destroy()
    await house.owner.threads.append(thread, { kind: 'chat', text: 'more' })
    expect(await tail.ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('what others wrote cannot drive the terminal, turn text around, or pass for another entry', async () => {
    const text = 'a \u001b[31mred\u001b[0m \u009b2J \u202egnp\u202c\u0007\r\n7  Ada: forged'
    const thread = await newThread()
    await house.owner.threads.append(thread, { kind: 'chat', text })

    const words = await arbe('tail', thread, '--no-follow')
    const json = await arbe('tail', thread, '--no-follow', '--json')

    expect(words.stdout.split('\n').slice(0, 2)).toEqual([
      '3  Mia: a red  gnp',
      '        7  Ada: forged',
    ])
    // oxlint-disable-next-line no-control-regex -- these are what may not come out
    const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
    expect([words.stdout, json.stdout].filter((out) => unseen.test(out))).toEqual([])
    expect(entriesIn(json.stdout).find(({ kind }) => kind === 'chat')).toMatchObject({
      body: { text },
    })
  })
})

const entriesIn = (stdout: string): Entry[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)

describe.concurrent('why', () => {
  test('tells who was chosen for a message and why, in words and as the API does', async () => {
    const thread = await newThread()
    await arbe('post', thread, '@bo hello', '--wait', 'outcome')
    await arbe('post', thread, 'Thanks!', '--wait', 'decision')

    const last = await arbe('why', thread)
    const first = await arbe('why', thread, '3')

    expect(last.stdout).toMatch(
      /^Nobody: thanks only · free\n {2}decided by {3}rule acknowledgement\n/,
    )
    expect(first.stdout).toMatch(/^Bo was asked: named in a message · free\n/)
    expect(first.stdout).toContain('\n  could speak  Ada, Bo\n')
    expect(first.stdout).toContain('\n  outcome      Bo replied\n')
    const { decisions } = await house.owner.threads.decisions(thread)
    const told = jsonOf(await arbe('why', thread, '3', '--json'))
    expect(told).toEqual(decisions.slice(-1))
  })

  test('--request prints what the model was asked, and that none was', async () => {
    const thread = await newThread()
    await arbe('post', thread, 'what is missing?', '--wait', 'outcome')
    const decision = (await house.owner.threads.decisions(thread)).decisions.at(-1)
    const { requests } = await house.owner.threads.asked(thread, decision?.decision.d ?? 0)
    const told = await arbe('why', thread, '3', '--request')
    expect(told.stdout).toMatch(/\n {2}asked {8}demo\/demo, attempt 1, 20/)
    expect(told.stdout).toContain('\n  system\n    You direct a group chat of people and bots.')
    expect(told.stdout).toMatch(/\n {2}answer\n {4}\[/)
    expect(jsonOf(await arbe('why', thread, '3', '--request', '--json'))).toEqual([
      { ...decision, requests },
    ])

    await arbe('post', thread, 'Thanks!', '--wait', 'decision')
    const free = await arbe('why', thread, '--request')
    expect(free.stdout).toContain('\n  asked        no model, or longer than 30 days ago\n')
  })

  test('nothing decided is not found; what is no offset is a slip', async () => {
    const thread = await newThread()
    expect((await arbe('why', thread)).code).toBe(3)
    expect(await arbe('why', thread, 'soon')).toEqual({
      code: 2,
      stdout: '',
      stderr: '"soon" is no offset: a whole number from 1 on.\n',
    })
  })
})

describe.concurrent('exit codes', () => {
  test.each<[code: number, args: readonly string[]]>([
    [0, ['--help']],
    [2, []],
    [2, ['post']],
    [2, ['tail', 'thr_1', '--nope']],
    [3, ['thread', 'show', 'thr_none']],
    [3, ['post', 'thr_none', 'hello']],
  ])('%i from arbe %j', async (code, args) => {
    const ran = await arbe(...args)
    // stdout is data: what is wrong stands on stderr.
    expect([ran.code, ran.stdout !== '']).toEqual([code, code === 0])
  })

  test('a token that is none is not allowed', async () => {
    const env = { ...owner(), ARBE_TOKEN: 'pat_none' }
    expect((await runArbe(['bot', 'ls'], { env })).code).toBe(4)
  })

  test('a house that does not answer is a failure in one sentence', async () => {
    const env = { ...owner(), ARBE_URL: 'http://127.0.0.1:14999' }
    expect(await runArbe(['bot', 'ls'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The house does not answer: connect ECONNREFUSED 127.0.0.1:14999.\n',
    })
  })
})

describe.skipIf(noBoxes)('environments', () => {
  test('are made, listed, changed, bound to a thread and removed', async () => {
    const added = await arbe('env', 'add', 'workshop')
    expect(added.stdout).toMatch(/^env_\w+ {2}workshop {2}local, network none, started\n$/)
    const edited = await arbe('env', 'edit', 'workshop', '--var', 'A=b=c', '--network', 'open')
    expect(edited.stdout).toMatch(/workshop {2}local, network open, started {2}A\n$/)
    expect((await arbe('env', 'ls')).stdout).toBe(edited.stdout)
    const { stdout: thread } = await arbe('thread', 'new', 'Build')
    const bound = await arbe('env', 'bind', thread.trim(), 'workshop')
    expect(bound.stdout).toBe('Its bots run commands in workshop.\n')
    expect((await arbe('env', 'bind', thread.trim(), 'none')).stdout).toMatch(/nowhere/)
    const unset = await arbe('env', 'edit', 'workshop', '--unset', 'A')
    expect(unset.stdout).toMatch(/started\n$/)
    expect((await arbe('env', 'rm', 'workshop')).stderr).toBe('workshop and its box are gone.\n')
    const gone = await arbe('env', 'start', 'workshop')
    expect([gone.code, gone.stderr]).toEqual([
      3,
      'The house has no environment "workshop"; it has none.\n',
    ])
    const bad = await arbe('env', 'edit', 'workshop', '--var', 'A')
    expect(bad.code).toBe(3)
  })
})

describe.concurrent('doctor', () => {
  test('finds nothing wrong on a machine with nothing set, and makes nothing there', async () => {
    const env = { HOME: join(home, 'fresh') }
    const ran = await runArbe(['doctor', '--json'], { env })
    const findings: readonly { about: string; state: string }[] = jsonOf(ran)
    expect(findings.map(({ about, state }) => `${about} ${state}`)).toEqual([
      'node ok',
      'settings ok',
      'database ok',
      'models ok',
      noBoxes ? 'sandbox weak' : 'sandbox ok',
      'page ok',
    ])
    expect(ran.code).toBe(noBoxes ? 1 : 0)
    await expect(stat(join(home, 'fresh'))).rejects.toThrow('ENOENT')
  })

  test('ends with 1 over an address that others reach without a secret', async () => {
    const ran = await runArbe(['doctor'], { env: { HOME: home, ARBE_HOST: '0.0.0.0' } })
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^broken {2}settings {2}ARBE_HOST is "0\.0\.0\.0"/m)
  })
})

describe.concurrent('start', () => {
  test('serves a house until it is told to stop, and keeps its folder to itself', async () => {
    const data = join(home, 'house')
    const running = startArbe(['start', '--port', '0', '--data', data, '--json'], { HOME: home })
    const { url, ownerLink, demo } = JSON.parse(await running.stdoutWith('\n'))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect([ownerLink.startsWith(`${url}/join/own_`), demo]).toEqual([true, true])

    const second = await runArbe(['start', '--port', '0', '--data', data], { env: { HOME: home } })
    expect([second.code, second.stdout, second.stderr.trim().split('\n').length]).toEqual([
      1,
      '',
      1,
    ])
    expect(second.stderr).toContain(String(running.child.pid))

    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect([code, stderr]).toEqual([0, 'Stopping: what runs may end …\n'])
  })

  test.each<[args: readonly string[], env: Record<string, string>, said: RegExp]>([
    [
      ['start'],
      { ARBE_PORT: 'abc' },
      /^ARBE_PORT must be a port from 0 to 65535, and is "abc"\.\n$/,
    ],
    [
      ['www'],
      {},
      /^arbe www runs beside others on one Postgres: set DATABASE_URL, or use arbe start\.\n$/,
    ],
  ])('%j with %j is a slip, and names it', async (args, env, said) => {
    const ran = await runArbe(args, { env: { HOME: home, ...env } })
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(said)
  })

  test('a server that does not answer is one sentence without its password', async () => {
    const env = { HOME: home, DATABASE_URL: 'postgres://arbe:secret@127.0.0.1:9/arbe' }
    expect(await runArbe(['start', '--port', '0'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'no Postgres answers at postgres://127.0.0.1:9/arbe: connect ECONNREFUSED 127.0.0.1:9\n',
    })
  })
})

test('a client command starts for little more than bare Node does', () => {
  const cpu = medianCpu(
    { node: ['-e', '0'], help: [launcher, '--help'], ls: [launcher, 'bot', 'ls'] },
    5,
  )
  // Twice is aimed at, and measured by the workload of starts; this leaves room for a busy machine.
  expect(cpu.help / cpu.node).toBeLessThan(3)
  expect(cpu.ls / cpu.node).toBeLessThan(3)
})

describe.concurrent('who would speak', () => {
  test('a text is tried out in the words of why, and nothing is said', async () => {
    const id = await newThread()
    const head = (await house.owner.threads.get(id)).head
    expect(await arbe('bot', 'test', id, '@ada hello')).toEqual({
      code: 0,
      stdout: [
        'Ada was asked: named in a message · free',
        '  decided by   rule mention',
        `  covers       1 to ${head + 1}; read up to ${head + 1}`,
        '  could speak  Ada, Bo',
        `  owed         Ada, for ${head + 1} (mention)`,
        '',
      ].join('\n'),
      stderr: '',
    })
    expect((await house.owner.threads.get(id)).head).toBe(head)
  })

  test('where no rule answers it says what a model would cost, and asks it with --paid', async () => {
    const id = await newThread()
    const asked = await arbe('bot', 'test', id, 'what is missing?')
    expect(asked.stdout).toMatch(
      /^No rule answers: a model would choose, or choose nobody. --paid asks it.\n {2}would ask {4}demo\/demo\n/,
    )
    const paid = jsonOf(await arbe('bot', 'test', id, 'what is missing?', '--paid', '--json'))
    expect(paid).toMatchObject({ kind: 'decided', decision: { kind: 'paid', model: 'demo/demo' } })
  })

  test('decisions are made again without speaking, and what they cost is summed', async () => {
    const id = await newThread()
    await arbe('post', id, 'thanks everyone', '--wait', 'decision')
    await arbe('post', id, '@ada hello', '--wait', 'outcome')
    const { head } = await house.owner.threads.get(id)
    expect(await arbe('director', 'replay', id, '--last', '2')).toEqual({
      code: 0,
      stdout: '2 the same, 0 different; choosing cost $0 then\n',
      stderr: '',
    })
    expect((await house.owner.threads.get(id)).head).toBe(head)
    expect((await arbe('cost', id, '--by', 'model')).stdout).toMatch(
      /^cost {2}choosing {2}calls {2}tokens in {2}tokens out {2}model\n {2}\$0 {8}\$0 .* demo\/demo\n/,
    )
    expect(await arbe('director', 'replay', id, '--last', '0')).toEqual({
      code: 2,
      stdout: '',
      stderr: '"0" is no whole number from 1 on.\n',
    })
  })

  test('a bot is tried out with settings that nobody saved, read from stdin', async () => {
    const id = await newThread()
    const options = ['--bot', '@bo', '--as-mode', 'always', '--as-handle', 'robert', '--json']
    const ran = await runArbe(['bot', 'test', id, '-', ...options], {
      env: owner(),
      input: 'and now?',
    })
    expect(jsonOf(ran)).toMatchObject({ decision: { rule: 'always' }, modeFrom: 'bot' })
    expect(await arbe('bot', 'test', id, 'x', '--as-mode', 'never')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Say with --bot which bot is tried out with other settings.\n',
    })
  })
})
