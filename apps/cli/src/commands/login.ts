import { login as logIn } from '../login.ts'
import type { CommandContext, Options } from '../main.ts'

export async function login(
  { config, output }: CommandContext,
  [link = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const name = typeof options['name'] === 'string' ? options['name'] : undefined
  const done = await logIn(config, { link, name })
  output.data(done, () => [`Logged in to ${done.url} as ${done.person}.`])
}
