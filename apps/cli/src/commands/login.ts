import type { CommandContext, Options } from '../command-context.ts'
import { login as logIn } from '../login.ts'
import { textOf } from '../read-option.ts'

export async function login(
  { config, output }: CommandContext,
  [link = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const done = await logIn(config, { link, name: textOf(options['name']) })
  output.data(done, () => [`Logged in to ${done.url} as ${done.person}.`])
}
