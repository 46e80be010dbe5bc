import { handleKey, longestHandle } from './handles.ts'

export interface MentionMember<Id extends string> {
  readonly id: Id
  readonly handle: string
}

/** What an `@` stands for. Offsets are UTF-16 indexes into the text; `start` is that of the `@`. */
export type MentionSpan<Id extends string> =
  | (Range & { readonly kind: 'member'; readonly id: Id; readonly handle: string })
  | (Range & { readonly kind: 'everyone' })
  | (Range & { readonly kind: 'unknown'; readonly name: string })

/** Names a member, but as part of an address, so that it is no mention. */
export interface GluedName<Id extends string> extends MentionMember<Id> {
  readonly kind: 'glued'
}

interface Range {
  readonly start: number
  readonly end: number
}

type Named<Id extends string> = MentionMember<Id> | 'everyone'
export type MembersByKey<Id extends string> = ReadonlyMap<string, Named<Id>>

export function membersByKey<Id extends string>(
  roster: readonly MentionMember<Id>[],
): MembersByKey<Id> {
  const byKey = new Map<string, Named<Id>>([['everyone', 'everyone']])
  for (const member of roster) {
    const key = handleKey(member.handle)
    if (!byKey.has(key)) byKey.set(key, member)
  }
  return byKey
}

/** Reads the name after the `@` at `start`, knowing only its surroundings, not the Markdown. */
export function mentionAt<Id extends string>(
  text: string,
  start: number,
  byKey: MembersByKey<Id>,
): MentionSpan<Id> | GluedName<Id> | undefined {
  if (gluedBefore.test(text.slice(Math.max(0, start - LOOK_BACK), start))) return undefined
  const run = matchAt(nameCharacters, text, start + 1)
  const name = run.replace(/[-_\p{Cf}]+$/u, '')
  for (const length of nameLengths(run, name)) {
    const named = byKey.get(handleKey(run.slice(0, length)))
    if (named === undefined) continue
    const end = start + 1 + length
    const isGlued = isGluedAfter(text, end)
    if (named === 'everyone') return isGlued ? undefined : { kind: 'everyone', start, end }
    const { id, handle } = named
    return isGlued ? { kind: 'glued', id, handle } : { kind: 'member', id, handle, start, end }
  }
  const end = start + 1 + name.length
  if (!/\p{L}/u.test(name) || isGluedAfter(text, end)) return undefined
  return { kind: 'unknown', name: Array.from(name).slice(0, longestHandle).join(''), start, end }
}

// Written without spaces: in 请@写手看 the name begins after and ends before a letter. Elsewhere a
// letter, also a lookalike of another script, is part of the name: `@annе` is nobody, not ann.
const spaceless = `[${['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`

// `mailto:`, or a letter with its marks.
const LOOK_BACK = 16
// An e-mail address, `@@`, a path, a value in a query. A mark belongs to what it stands on: 1️⃣ is no word, nor is ∉ decomposed.
const gluedBefore = new RegExp(
  `(?:mailto:|[@/=]|(?!${spaceless})[\\p{L}\\p{N}]\\p{M}*(?<![\\ufe0e\\ufe0f\\u20e3]))$`,
  'iu',
)
// `@ann@host`, `@scope/coder`, `@ann.example`.
const gluedAfter = new RegExp(`(?<!${spaceless})@|[./](?!${spaceless})[\\p{L}\\p{N}_]`, 'uy')
// Invisible characters and marks belong to the run, so that no handle ends at one of them.
const nameCharacters = /[\p{L}\p{M}\p{N}\p{Cf}_-]*/uy
// After these the letter before is not whole: `코더` decomposed is no part of `코덕`.
const joined = '[\\p{M}\\u1160-\\u11ff\\uff9e\\uff9f\\uff70ー々ゝゞヽヾ]'
const nameBreak = new RegExp(`(?:(?<=${spaceless})(?=\\p{L})|(?=${spaceless}))(?!${joined})`, 'gu')
// A handle takes up to four times its length in a decomposed spelling.
const longestSpelling = 4 * longestHandle

/** Where a handle may end in the run, the longest first. */
function nameLengths(run: string, name: string): number[] {
  const breaks = run.slice(0, longestSpelling).matchAll(nameBreak)
  return [name.length, ...Array.from(breaks, ({ index }) => index).toReversed()]
}

function isGluedAfter(text: string, end: number): boolean {
  return matchAt(gluedAfter, text, end) !== ''
}

function matchAt(sticky: RegExp, text: string, index: number): string {
  sticky.lastIndex = index
  return sticky.exec(text)?.[0] ?? ''
}
