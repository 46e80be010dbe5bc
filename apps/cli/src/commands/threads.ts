import type { Thread, ThreadBot } from '@arbe/sdk/api'
import { sayTime } from '@arbe/sdk/say-time'
import type { CommandContext, Options, OptionValue } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { findByName, type Named } from '../find-by-name.ts'
import { connect } from '../login.ts'
import { minutesOf, textOf, turnsOf } from '../read-option.ts'

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
    ...thread.bots.map(botLine),
    ...thread.people.map((person) => `  person  ${person.name} @${person.handle}, ${person.role}`),
    ...settingLines(thread),
  ])
}

export async function set(
  { config, output }: CommandContext,
  [id = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const banter = textOf(options['banter'])
  const perBot = options['limit-per-bot']
  const perThread = options['limit-per-thread']
  if (banter === undefined && perBot === undefined && perThread === undefined)
    throw new CliError(EXIT.usage, 'Nothing to set. arbe thread set --help shows what there is.')
  const client = await connect(config)
  const now = await client.threads.get(id)
  const limits = {
    perBot: perBot === undefined ? now.limitPerBot : turnsOf(perBot),
    perThread: perThread === undefined ? now.limitPerThread : turnsOf(perThread),
  }
  const thread = await client.threads.edit(id, {
    ...(banter !== undefined && { banter: banter === 'on' }),
    ...((perBot !== undefined || perThread !== undefined) && { limits }),
  })
  output.data(thread, () => settingLines(thread))
}

function settingLines({ limitPerBot, limitPerThread, banter }: Thread): readonly string[] {
  return [
    `  limits  ${limitPerBot} turns a bot and ${limitPerThread} a thread without a word by a person`,
    `  banter  ${banter ? 'on: bots may answer each other' : 'off'}`,
  ]
}

export async function mute(
  context: CommandContext,
  [id = '', bot = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const time = options['for'] === undefined ? {} : { for: minutesOf(options['for']) }
  await setMute(context, { id, bot, mute: { muted: true, ...time } })
}

export async function unmute(
  context: CommandContext,
  [id = '', bot = '']: readonly string[],
): Promise<undefined> {
  await setMute(context, { id, bot, mute: { muted: false } })
}

interface MuteOrder {
  readonly id: string
  readonly bot: string
  readonly mute: { readonly muted: true; readonly for?: number } | { readonly muted: false }
}

async function setMute({ config, output }: CommandContext, order: MuteOrder): Promise<void> {
  const client = await connect(config)
  const { bots } = await client.threads.get(order.id)
  const { id } = findByName(bots, order.bot)
  const thread = await client.threads.edit(order.id, { mutes: [{ bot: id, ...order.mute }] })
  output.data(thread, () => thread.bots.filter((bot) => bot.id === id).map(botLine))
}

function botLine({ name, handle, mode, muted, mutedUntil, model }: ThreadBot): string {
  const until = mutedUntil === null ? '' : ` until ${sayTime(mutedUntil)}`
  return `  bot     ${name} @${handle}, ${muted ? `muted${until}` : mode}, ${model || 'default model'}`
}

async function idsOf(given: OptionValue, read: () => Promise<readonly Named[]>): Promise<string[]> {
  if (typeof given !== 'string' || given === '') return []
  const all = await read()
  return given.split(',').map((name) => findByName(all, name.trim()).id)
}
