import type { HousePatch } from '@arbe/sdk/api'
import type { CommandContext, Options } from '../command-context.ts'
import { connect } from '../login.ts'
import { textOf } from '../read-option.ts'

/** Changes what is named, and says how the house stands. */
export async function set(
  { config, output }: CommandContext,
  _: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const patch = patchOf(options)
  const { house } = patch === undefined ? await client.me() : await client.house.edit(patch)
  const chosenBy = house.directorModel || 'the default model'
  output.data(house, () => [`${house.name}  speakers are chosen by ${chosenBy}`])
}

function patchOf(options: Options): HousePatch | undefined {
  const name = textOf(options['name'])
  const directorModel = textOf(options['director-model'])
  if (name === undefined && directorModel === undefined) return undefined
  return {
    ...(name !== undefined && { name }),
    ...(directorModel !== undefined && { directorModel }),
  }
}
