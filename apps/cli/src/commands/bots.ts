import type { Bot, BotPatch } from '@arbe/sdk/api'
import { TriggerModeSchema } from '@arbe/sdk/entries'
import { connect } from '../login.ts'
import type { CommandContext, Options } from '../main.ts'
import { findByName } from './threads.ts'

export async function list({ config, output }: CommandContext): Promise<undefined> {
  const client = await connect(config)
  const { bots } = await client.bots.list()
  output.data(bots, () => bots.map(lineOf))
}

export async function add(
  { config, output }: CommandContext,
  [name = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const bot = await client.bots.create({ ...fieldsOf(options), name })
  output.data(bot, () => [lineOf(bot)])
}

export async function edit(
  { config, output }: CommandContext,
  [which = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const { id } = findByName((await client.bots.list()).bots, which)
  const name = options['name']
  const bot = await client.bots.edit(id, {
    ...fieldsOf(options),
    ...(typeof name === 'string' && { name }),
  })
  output.data(bot, () => [lineOf(bot)])
}

/** Only what was given: an edit leaves the rest as it is. */
function fieldsOf(options: Options): BotPatch {
  const texts = ['handle', 'description', 'prompt', 'voice', 'model'] as const
  const given = texts.flatMap((field) => {
    const value = options[field]
    return typeof value === 'string' ? [[field, value] as const] : []
  })
  return { ...Object.fromEntries(given), ...modeOf(options['mode']) }
}

function modeOf(given: string | boolean | undefined): Pick<BotPatch, 'triggerMode'> {
  if (given === 'house') return { triggerMode: null }
  const mode = TriggerModeSchema.safeParse(given)
  return mode.success ? { triggerMode: mode.data } : {}
}

function lineOf({ id, name, handle, model, triggerMode }: Bot): string {
  return `${id}  ${name} @${handle}  ${triggerMode ?? 'as the house'}  ${model || 'default model'}`
}
