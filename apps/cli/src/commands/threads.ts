import type { CommandContext, Options, OptionValue } from '../command-context.ts'
import { findByName, type Named } from '../find-by-name.ts'
import { connect } from '../login.ts'

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
  const client = await connect(config)
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

async function idsOf(given: OptionValue, read: () => Promise<readonly Named[]>): Promise<string[]> {
  if (typeof given !== 'string' || given === '') return []
  const all = await read()
  return given.split(',').map((name) => findByName(all, name.trim()).id)
}
