import type { AppendInput } from '@arbe/sdk/api'
import { Refused } from '../access/refused.ts'
import type { KeyedEntry } from './open-thread.ts'

/** What of a stored entry came from its author; the rest was added at the door and may come out otherwise another time. */
const authored: Readonly<Record<AppendInput['kind'], readonly string[]>> = {
  chat: ['text', 'replyTo'],
  'chat.edit': ['target', 'text'],
  'chat.delete': ['target'],
  'thread.ask': ['bot'],
  'thread.continue': [],
  'thread.stop': [],
  'thread.feedback': ['decision', 'verdict'],
}

/** A key that comes again answers with the first entry, or is refused when it comes with other words. */
export function sameAgain(
  entry: KeyedEntry,
  input: AppendInput,
): { readonly seq: KeyedEntry['seq']; readonly duplicate: true } {
  const stored = new Map<string, unknown>(Object.entries(entry.body))
  const sent = new Map<string, unknown>(Object.entries(input))
  const isSame =
    entry.kind === input.kind &&
    authored[input.kind].every((field) => stored.get(field) === sent.get(field))
  if (isSame) return { seq: entry.seq, duplicate: true }
  throw new Refused('key_conflict', 'This key belongs to another message.')
}
