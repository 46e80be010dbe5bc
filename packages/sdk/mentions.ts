import type { Token } from 'marked'
import { handleKey } from './handles.ts'
import { membersByKey, type MentionMember, type MentionSpan } from './mention-at.ts'
import { type MentionToken, readMentions, type ReadMentions } from './mention-tokens.ts'

export type { MentionMember, MentionSpan, MentionToken }

export interface Mentions<Id extends string> {
  /** In order of appearance; a member named twice stands here twice. */
  readonly mentions: readonly Mention<Id>[]
  readonly everyone: boolean
  /** Names after an `@` that are no member's, each once, as typed. */
  readonly unknown: readonly string[]
  /**
   * The roster narrowed to what the text needs: read with these alone it has the same mentions, whoever comes, goes or is renamed.
   * Hence also the handles it holds inside an address, where a shorter one would be found without them. Empty without a mention.
   */
  readonly names: readonly MentionMember<Id>[]
}

export interface Mention<Id extends string> {
  readonly id: Id
  readonly handle: string
  readonly start: number
  readonly end: number
}

/**
 * Whom a message names. A roster may hold an id again under former handles; where two members have
 * one handle, the first counts.
 */
export function parseMentions<Id extends string>(
  text: string,
  roster: readonly MentionMember<Id>[],
): Mentions<Id> {
  const { spans, glued } = read(text, roster)
  const members = spans.filter((span) => span.kind === 'member')
  return {
    mentions: members.map(({ id, handle, start, end }) => ({ id, handle, start, end })),
    names: members.length === 0 ? [] : distinct([...members, ...glued]),
    everyone: spans.some(({ kind }) => kind === 'everyone'),
    unknown: [...new Set(spans.filter((span) => span.kind === 'unknown').map(({ name }) => name))],
  }
}

/** Each member once, in order of first appearance: what an entry stores. */
export function mentionedIds<Id extends string>(mentions: readonly { readonly id: Id }[]): Id[] {
  return [...new Set(mentions.map(({ id }) => id))]
}

/** Where the chips of the composer are, and the names that are nobody's. */
export function mentionSpans<Id extends string>(
  text: string,
  roster: readonly MentionMember<Id>[],
): readonly MentionSpan<Id>[] {
  return read(text, roster).spans
}

/** The text as it would be written today: each mention by its member's present handle. Undefined of `handleNow`: left as it is. */
export function renameMentions<Id extends string>(
  text: string,
  names: readonly MentionMember<Id>[],
  handleNow: (id: Id) => string | undefined,
): string {
  const isOld = ({ id, handle }: MentionMember<Id>): boolean =>
    handleKey(handleNow(id) ?? handle) !== handleKey(handle)
  if (!names.some(isOld)) return text
  let renamed = ''
  let from = 0
  for (const span of mentionSpans(text, names)) {
    if (span.kind !== 'member' || !isOld(span)) continue
    // Beside 写手 a letter may stand; beside ann it would be part of the name.
    const gap = /^[\p{L}\p{M}\p{N}_]/u.test(text.slice(span.end)) ? ' ' : ''
    renamed += `${text.slice(from, span.start)}@${handleNow(span.id)}${gap}`
    from = span.end
  }
  return renamed + text.slice(from)
}

function read<Id extends string>(
  text: string,
  roster: readonly MentionMember<Id>[],
): Pick<ReadMentions<Id>, 'spans' | 'glued'> {
  return text.includes('@')
    ? readMentions(text, membersByKey(roster), { isDrawn: false })
    : { spans: [], glued: [] }
}

function distinct<Id extends string>(
  members: readonly MentionMember<Id>[],
): readonly MentionMember<Id>[] {
  const byHandle = new Map(members.map(({ id, handle }) => [handle, { id, handle }]))
  return [...byHandle.values()]
}

/** The tokens of a message as `marked` has them, with a {@link MentionToken} for each chip. */
export function lexWithMentions<Id extends string>(
  text: string,
  roster: readonly MentionMember<Id>[],
): readonly Token[] {
  return readMentions(text, membersByKey(roster), { isDrawn: true }).tokens
}
