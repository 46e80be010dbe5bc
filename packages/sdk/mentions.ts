import type { Token } from 'marked'
import { membersByKey, type MentionMember, type MentionSpan } from './mention-at.ts'
import { type MentionToken, readMentions } from './mention-tokens.ts'

export type { MentionMember, MentionSpan, MentionToken }

export interface Mentions<Id extends string> {
  /** In order of appearance; a member named twice stands here twice. */
  readonly mentions: readonly Mention<Id>[]
  readonly everyone: boolean
  /** Names after an `@` that are no member's, each once, as typed. */
  readonly unknown: readonly string[]
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
  const spans = mentionSpans(text, roster)
  return {
    mentions: spans
      .filter((span) => span.kind === 'member')
      .map(({ id, handle, start, end }) => ({ id, handle, start, end })),
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
  return text.includes('@') ? readMentions(text, membersByKey(roster)).spans : []
}

/** The tokens of a message as `marked` has them, with a {@link MentionToken} for each chip. */
export function lexWithMentions<Id extends string>(
  text: string,
  roster: readonly MentionMember<Id>[],
): readonly Token[] {
  return readMentions(text, membersByKey(roster)).tokens
}
