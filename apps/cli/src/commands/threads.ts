import type { ArbeClient } from '@arbe/sdk/client'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import type { CommandContext, Options } from '../main.ts'

export async function list({ config, output }: CommandContext): Promise<undefined> {
  const client = await connect(config)
  const { threads } = await client.threads.list()
  output.data(threads, () => threads.map(({ id, title }) => `${id}  ${title || 'Untitled'}`))
}

export async function create(
  { config, output }: CommandContext,
  [title = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const bots = await idsOf(options['bot'], async () => (await client.bots.list()).bots)
  const people = await idsOf(options['person'], async () => (await client.people()).people)
  const thread = await client.threads.create({ title, bots, people })
  output.data(thread, () => [thread.id])
}

export async function show(
  { config, output }: CommandContext,
  [id = '']: readonly string[],
): Promise<undefined> {
  const client: ArbeClient = await connect(config)
  const thread = await client.threads.get(id)
  output.data(thread, () => [
    `${thread.title || 'Untitled'} (${thread.id}), ${thread.head} entries`,
    ...thread.bots.map(
      (bot) =>
        `  bot     ${bot.name} @${bot.handle}, ${bot.muted ? 'muted' : bot.mode}, ${bot.model || 'default model'}`,
    ),
    ...thread.people.map((person) => `  person  ${person.name} @${person.handle}, ${person.role}`),
    `  limits  ${thread.limitPerBot} turns a bot and ${thread.limitPerThread} a thread without a word by a person`,
  ])
}

interface Named {
  readonly id: string
  readonly handle: string
}

async function idsOf(
  given: string | boolean | undefined,
  read: () => Promise<readonly Named[]>,
): Promise<string[]> {
  if (typeof given !== 'string' || given === '') return []
  const all = await read()
  return given.split(',').map((name) => findByName(all, name.trim()).id)
}

export function findByName<Member extends Named>(all: readonly Member[], name: string): Member {
  const handle = name.replace(/^@/, '').toLowerCase()
  const found = all.find((one) => one.id === name || one.handle === handle)
  if (found === undefined) throw new CliError(EXIT.notFound, `The house has no member "${name}".`)
  return found
}
