import { Refused } from '../access/refused.ts'

const MESSAGE_BYTES = 64 * 1024

/** To be called before anything reads the text: a parser's time grows with it. */
export function requireText(text: string, what = 'A message'): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > MESSAGE_BYTES)
    throw new Refused(
      'message_too_long',
      `${what} holds at most ${MESSAGE_BYTES} bytes (64 KiB) of text, and this one has ${bytes}.`,
    )
  if (text.trim() === '') throw new Refused('invalid_body', `${what} needs text.`)
  if (text.includes('\0') || !text.isWellFormed())
    throw new Refused('invalid_body', 'The text holds U+0000 or half a surrogate pair.')
}
