import { text as readAll } from 'node:stream/consumers'
import { CliError, EXIT } from './exit.ts'
import type { Output } from './output.ts'

/** The text of a message as it was given, or with - what stands on stdin. */
export async function messageText(given: string, output: Output): Promise<string> {
  const text = given === '-' ? await readStdin(output) : given
  if (text === '') throw new CliError(EXIT.usage, 'There is nothing to say: the text is empty.')
  return text
}

async function readStdin(output: Output): Promise<string> {
  if (process.stdin.isTTY) output.note('Write the message; Ctrl-D on a line of its own sends it.')
  return (await readAll(process.stdin)).replace(/\r?\n$/, '')
}
