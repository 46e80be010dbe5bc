import type { AuthorKind, EntryOf, Via } from '@arbe/sdk'
import { headOfText } from '@arbe/sdk/cut-text'

/**
 * What others said is told as a header in JSON and the text below it, each line behind `| `. Every line that does not
 * begin with `| ` is therefore arbe's own: no text can speak as somebody else.
 */
export function quoteChat(said: SaidChat): string {
  const { entry, name, text, edited } = said
  const { handover, replyTo, saidAt, via } = entry.body
  return quoted(
    {
      from: plainName(name),
      is: handover === undefined ? authorWords[entry.authorKind] : 'handover',
      ...(via === undefined ? {} : viaOf(via)),
      ...(handover === undefined ? {} : { job: handover.status }),
      n: entry.seq,
      ...(replyTo === undefined ? {} : { re: replyTo }),
      at: minute(saidAt ?? entry.createdAt),
      ...(edited ? { edited } : {}),
    },
    text,
  )
}

export interface SaidChat {
  readonly entry: EntryOf<'chat'>
  readonly name: string
  readonly text: string
  readonly edited: boolean
}

/** Who wrote it where the bridge has it from; `from` stays whoever answers for it here. */
function viaOf({ bridge, name }: Via): object {
  return { via: bridge, ...(name === undefined ? {} : { for: plainName(name) }) }
}

/** A line of arbe's own, about somebody or about nobody. */
export function noteLine(note: { readonly from?: string; readonly note: string }): string {
  return JSON.stringify(note.from === undefined ? note : { ...note, from: plainName(note.from) })
}

/** A name is data: one line, no control characters, not endless. */
function plainName(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return headOfText(line, LONGEST_NAME)
}

const LONGEST_NAME = 64

const authorWords: Readonly<Record<AuthorKind, string>> = {
  person: 'person',
  bot: 'bot',
  system: 'system',
  director: 'system',
  webhook: 'app',
}

function quoted(header: object, text: string): string {
  return `${JSON.stringify(header)}\n| ${text.split(LINE_END).join('\n| ')}`
}

// Everything that some reader takes for the end of a line.
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}
