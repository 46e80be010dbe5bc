import type { Bot, BotPatch } from '@arbe/sdk/api'
import type { CommandContext, Options } from '../command-context.ts'
import { findByName } from '../find-by-name.ts'
import { connect } from '../login.ts'
import { modeOf } from '../mode-of.ts'
import { textOf } from '../read-option.ts'

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
  const bot = await client.bots.edit(id, fieldsOf(options))
  output.data(bot, () => [lineOf(bot)])
}

const texts = ['name', 'handle', 'description', 'prompt', 'voice', 'model'] as const

/** Only what was given: an edit leaves the rest as it is. */
function fieldsOf(options: Options): BotPatch {
  const given = texts.flatMap((field) => {
    const value = textOf(options[field])
    return value === undefined ? [] : [[field, value] as const]
  })
  const mode = textOf(options['mode'])
  return {
    ...Object.fromEntries(given),
    ...(mode !== undefined && { triggerMode: modeOf(mode) }),
  }
}

function lineOf({ id, name, handle, model, triggerMode }: Bot): string {
  return `${id}  ${name} @${handle}  ${triggerMode ?? 'as the house'}  ${model || 'default model'}`
}
