import {
  type ExportedEntry,
  ExportedEntrySchema,
  type ImportMessage,
  ImportMessageSchema,
} from '@arbe/sdk/api'
import { bodySchemas, type EntryOf, type Via } from '@arbe/sdk/entries'
import { CliError, EXIT } from './exit.ts'

/** One line of a file to import: a message as the API takes it, or an entry as `arbe thread export` writes it. */
export type ImportLine =
  | { readonly kind: 'message'; readonly message: ImportMessage }
  | { readonly kind: 'chat'; readonly entry: ExportedChat }
  | { readonly kind: 'edit'; readonly of: string; readonly text: string }
  | { readonly kind: 'deletion'; readonly of: string }
  /** An entry that holds nothing that was said. */
  | { readonly kind: 'other' }

type ExportedChat = ExportedEntry & { readonly body: EntryOf<'chat'>['body'] }

/** What later lines say of earlier ones: read from the whole file before anything of it is imported. */
export interface Changes {
  readonly texts: Map<string, string>
  readonly deleted: Set<string>
  /** Where messages had been brought from that did not begin in the exported thread. */
  readonly vias: Map<string, Via>
}

export function readLine(text: string, number: number): ImportLine {
  const value = parseJson(text, number)
  const exported = ExportedEntrySchema.safeParse(value)
  if (exported.success) return readEntry(exported.data, number)
  const message = ImportMessageSchema.safeParse(value)
  if (message.success) return { kind: 'message', message: message.data }
  const [issue] = message.error.issues
  const where = issue?.path.join('.')
  throw unreadable(number, `${where ? `${where}: ` : ''}${issue?.message ?? 'not a message'}`)
}

function readEntry(entry: ExportedEntry, number: number): ImportLine {
  const { kind, threadId, body } = entry
  if (kind === 'chat') {
    const said = bodySchemas.chat.safeParse(body)
    if (!said.success) throw unreadable(number, 'the body of this chat is no message')
    return { kind, entry: { ...entry, body: said.data } }
  }
  if (kind === 'chat.edit') {
    const edit = bodySchemas['chat.edit'].safeParse(body)
    if (!edit.success) throw unreadable(number, 'the body of this edit is none')
    return { kind: 'edit', of: placeOf(threadId, edit.data.target), text: edit.data.text }
  }
  const deletion = bodySchemas['chat.delete'].safeParse(body)
  if (kind !== 'chat.delete' || !deletion.success) return { kind: 'other' }
  return { kind: 'deletion', of: placeOf(threadId, deletion.data.target) }
}

export function noteChange(changes: Changes, line: ImportLine): void {
  if (line.kind === 'edit') changes.texts.set(line.of, line.text)
  if (line.kind === 'deletion') changes.deleted.add(line.of)
  if (line.kind === 'chat' && line.entry.body.via !== undefined)
    changes.vias.set(placeOf(line.entry.threadId, line.entry.seq), line.entry.body.via)
}

/** The message as it reads at the end of the file; undefined where nothing of it is left to say. */
export function toMessage(line: ImportLine, changes: Changes): ImportMessage | undefined {
  if (line.kind === 'message') return line.message
  if (line.kind !== 'chat') return undefined
  const { threadId, seq, authorId, authorName = authorId, createdAt, body } = line.entry
  const place = placeOf(threadId, seq)
  const text = changes.texts.get(place) ?? body.text
  if (changes.deleted.has(place) || text.trim() === '') return undefined
  const { bridge, id } = viaOf(changes, threadId, body.replyTo ?? 0)
  return {
    via: body.via ?? { ...viaOf(changes, threadId, seq), name: authorName },
    text,
    saidAt: body.saidAt ?? createdAt,
    ...(body.replyTo === undefined ? {} : { replyTo: { bridge, id } }),
  }
}

function viaOf({ vias }: Changes, threadId: string, seq: number): Via {
  const place = placeOf(threadId, seq)
  return vias.get(place) ?? { bridge: 'arbe', id: place }
}

const placeOf = (threadId: string, seq: number): string => `${threadId}:${seq}`

function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(number, 'it is no JSON')
  }
}

function unreadable(number: number, why: string): CliError {
  return new CliError(EXIT.usage, `Line ${number} cannot be imported: ${why}.`)
}
