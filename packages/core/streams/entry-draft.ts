import {
  type ActorId,
  type AuthorKind,
  bodySchemas,
  type EntryKind,
  type HouseId,
  isEntryKind,
  type ThreadId,
} from '@arbe/sdk'
import type { z } from 'zod'

import { toJsonText } from './json-text.ts'

interface DraftFields {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  /** Unique in its thread for ever: `<token kind>:<author>:<client key>`, or `arbe:…` for what the director and its turns write. */
  readonly key: string
  readonly authorId: ActorId
  readonly authorKind: AuthorKind
  /** The director has to look at it. */
  readonly wakes: boolean
  /** Part of what a bot reads: texts, and what edits or deletes them. */
  readonly readable: boolean
  /** The decision whose turn writes it. */
  readonly causedBy?: number
  readonly hops?: number
}

export type EntryDraft = {
  [K in EntryKind]: DraftFields & {
    readonly kind: K
    readonly body: z.input<(typeof bodySchemas)[K]>
  }
}[EntryKind]

export type EntryRefusal = 'unknown_kind' | 'invalid_body' | 'invalid_text' | 'too_large'

/** The draft is no entry this stream takes; nothing was written. */
export class EntryRefused extends Error {
  override readonly name = 'EntryRefused'
  readonly code: EntryRefusal

  constructor(code: EntryRefusal, message: string) {
    super(message)
    this.code = code
  }
}

const KIB = 1024
const CHAT_TEXT_MAX = 64 * KIB
const OUTSIDE_MAX = 256 * KIB
const TURN_MAX = 4 * KIB * KIB

/** The door every entry passes: what is stored is a known kind, with the body its schema says, and text that can be stored. */
export function toEntryJson(draft: EntryDraft): string {
  const { causedBy = null, hops = 0, authorKind } = draft
  const body = parseBody(draft.kind, draft.body)
  const { text, replaced } = toJsonText({ ...draft, causedBy, hops, body })
  const isOutside = authorKind === 'person' || authorKind === 'webhook'
  if (replaced > 0 && isOutside) {
    throw new EntryRefused('invalid_text', 'the text holds U+0000 or half a surrogate pair')
  }
  refuseOver(isOutside ? OUTSIDE_MAX : TURN_MAX, text, 'entry')
  return text
}

function parseBody(kind: string, body: unknown): unknown {
  if (!isEntryKind(kind)) throw new EntryRefused('unknown_kind', `unknown kind of entry "${kind}"`)
  const parsed = bodySchemas[kind].safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.')
    throw new EntryRefused('invalid_body', `${kind}: ${where}: ${issue?.message ?? 'invalid'}`)
  }
  if ((kind === 'chat' || kind === 'chat.edit') && 'text' in parsed.data) {
    refuseOver(CHAT_TEXT_MAX, parsed.data.text, 'text')
  }
  return parsed.data
}

function refuseOver(max: number, text: string, what: string): void {
  // A UTF-16 unit takes at most three bytes, so that most texts need no count.
  if (text.length * 3 <= max) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= max) return
  throw new EntryRefused('too_large', `the ${what} has ${bytes} bytes, at most ${max} are taken`)
}
