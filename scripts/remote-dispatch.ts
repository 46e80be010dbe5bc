// Asks a bot for what only a sandbox knows: `node scripts/remote-dispatch.ts [<environment>] [--local]`.
// The house is the one that ARBE_URL and ARBE_TOKEN name; with --local one of its own, gone afterwards, whose bot is the demo model.
// Ends with 0 when the answer carries the nonce and is the bot's.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openLink } from '../apps/cli/src/login.ts'
import { type ArbeClient, createClient } from '../packages/sdk/client.ts'
import { tailThread } from '../packages/sdk/tail-thread.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { local: { type: 'boolean', default: false } },
})

await using house = values.local ? await openOwnHouse() : openNamedHouse()
const { client } = house
const environment = await findEnvironment(positionals[0])
const [bot] = (await client.bots.list()).bots
if (bot === undefined) throw new Error('the house has no bot')
const thread = await client.threads.create({ title: 'Remote dispatch', bots: [bot.id] })
await client.threads.edit(thread.id, { environment: environment.id })

// The nonce is made in the box; outside, its hash alone is known until the bot reads it back.
const planted = await ask(
  'head -c 24 /dev/urandom | base64 | tr -d /+= > nonce.txt; sha256sum nonce.txt',
)
const hash = /\b[0-9a-f]{64}\b/.exec(planted.text)?.[0]
if (hash === undefined) throw new Error(`nothing was planted: ${planted.text}`)
const read = await ask('cat nonce.txt')
const carries = read.text
  .split(/\s+/)
  .some((word) => createHash('sha256').update(`${word}\n`).digest('hex') === hash)
if (!carries) throw new Error(`the reply does not carry the nonce: ${read.text}`)
if (read.authorId !== bot.id) throw new Error(`the reply is ${read.authorId}'s, not ${bot.id}'s`)
console.log(`${bot.name} read the nonce of ${environment.name} back (${hash.slice(0, 12)}…).`)

interface House extends AsyncDisposable {
  readonly client: ArbeClient
}

function openNamedHouse(): House {
  const { ARBE_URL: baseUrl, ARBE_TOKEN: token } = process.env
  if (!baseUrl || !token)
    throw new Error('Set ARBE_URL and ARBE_TOKEN to a house, or give --local for one of its own.')
  return { client: createClient({ baseUrl, token }), [Symbol.asyncDispose]: async () => undefined }
}

async function openOwnHouse(): Promise<House> {
  const data = await mkdtemp(join(tmpdir(), 'arbe-remote-dispatch-'))
  const arbe = fileURLToPath(new URL('../apps/cli/bin/arbe.js', import.meta.url))
  const args = [arbe, 'start', '--port', '0', '--data', join(data, 'house'), '--json']
  const process_ = spawn('node', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(process_.stdout), 'line')
  const { url, session } = await openLink(JSON.parse(line).ownerLink, undefined)
  return {
    client: createClient({ baseUrl: url, token: session }),
    async [Symbol.asyncDispose]() {
      process_.kill()
      await once(process_, 'exit')
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** The named one; else one of its own, made and started for this. */
async function findEnvironment(name: string | undefined) {
  const { environments } = await client.environments.list()
  const found = environments.find((one) => one.id === name || one.name === name)
  if (name !== undefined && found === undefined)
    throw new Error(`the house has no environment "${name}"`)
  const { id } = found ?? (await client.environments.create({ name: `Check ${Date.now()}` }))
  return client.environments.start(id)
}

/** Has the bot run a command and gives its answer. */
async function ask(command: string): Promise<{ readonly text: string; readonly authorId: string }> {
  const text = `@${bot?.handle} run \`${command}\``
  const { seq } = await client.threads.append(thread.id, { kind: 'chat', text })
  const signal = AbortSignal.timeout(120_000)
  for await (const entry of tailThread(client, thread.id, { after: seq, signal })) {
    if (entry.kind === 'chat') return { text: entry.body.text, authorId: entry.authorId }
    if (entry.kind === 'signal.thread_director.outcome' && entry.body.status !== 'replied')
      throw new Error(`the turn ended ${entry.body.status}: ${entry.body.error ?? ''}`)
  }
  throw new Error(`nobody answered "${text}" within two minutes`)
}
