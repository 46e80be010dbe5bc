/**
 * A handle is the name that `@` calls: letters and digits of one script, `-` and `_`, stored folded.
 * Display names are free; two bots called "Ann" still have two handles.
 */
export type HandleCheck =
  | { readonly status: 'ok'; readonly handle: string }
  | { readonly status: 'error'; readonly error: HandleError }

export type HandleError =
  | 'too_short'
  | 'too_long'
  | 'bad_character'
  /** It begins or ends with `-` or `_`, which would be lost in `_@ann_`. */
  | 'bad_edge'
  | 'no_letter'
  | 'mixed_scripts'
  /** It is, or looks like, a word that means something else after `@` or in a decision. */
  | 'reserved'

const shortestHandle = 2
export const longestHandle = 32

export function normalizeHandle(raw: string): HandleCheck {
  const handle = handleKey(raw)
  const error = handleError(handle)
  return error === undefined ? { status: 'ok', handle } : { status: 'error', error }
}

/**
 * What two spellings of a handle have in common: compatibility form and full case folding, the same
 * in every locale. Dotted and dotless i are one letter, so that Turkish capitals find their owner.
 */
export function handleKey(handle: string): string {
  if (/^[a-z0-9_-]*$/.test(handle)) return handle
  const folded = handle.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC')
}

/** Two handles with one skeleton are hard to tell apart: a house has at most one of them. */
export function handleSkeleton(handle: string): string {
  const letters = handleKey(handle)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
  const plain = Array.from(letters, (letter) => lookalikes.get(letter) ?? letter).join('')
  return plain.replaceAll('rn', 'm').replaceAll('vv', 'w').normalize('NFC')
}

export function isReservedHandle(handle: string): boolean {
  return reserved.has(bareSkeleton(handle))
}

/** Proposes a free handle for a display name: `林月` → `林月`, a second `Ann` → `ann-2`. */
export function handleFromName(name: string, taken: readonly string[]): string {
  const skeletons = new Set(taken.map(handleSkeleton))
  const base = cutTo(longestHandle, nameSlug(name))
  let proposed = base
  for (let n = 2; handleError(proposed) || skeletons.has(handleSkeleton(proposed)); n += 1) {
    const suffix = `-${n}`
    proposed = cutTo(longestHandle - suffix.length, base) + suffix
  }
  return proposed
}

// Those that Unicode recommends for identifiers. The Japanese ones are written together.
const scripts = [
  'Latin Greek Cyrillic Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi',
  'Hangul Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan',
]
  .join(' ')
  .split(' ')
  .map((script) => `\\p{sc=${script}}`)
  .concat('\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}ー')
  .map((letters) => `(?=[\\p{L}\\p{M}])(?!\\p{DI})[${letters}]`)
const inOneScript = new RegExp(
  `^(?:${scripts.map((one) => `(?:${one}|[0-9_-])*`).join('|')})$`,
  'u',
)
const letter = scripts.join('|')
const allowed = new RegExp(`^(?:${letter}|[0-9_-])*$`, 'u')

function handleError(handle: string): HandleError | undefined {
  const length = Array.from(handle).length
  if (length < shortestHandle) return 'too_short'
  if (length > longestHandle) return 'too_long'
  if (!allowed.test(handle)) return 'bad_character'
  if (!/^[\p{L}0-9].*[^_-]$/u.test(handle)) return 'bad_edge'
  if (!/\p{L}/u.test(handle)) return 'no_letter'
  if (!inOneScript.test(handle)) return 'mixed_scripts'
  return isReservedHandle(handle) ? 'reserved' : undefined
}

const lookalikes = new Map(
  Object.entries({
    a: 'аα',
    b: 'вьβ',
    c: 'с',
    d: 'ԁ',
    e: 'еε',
    h: 'һн',
    i: 'іι',
    j: 'јϳ',
    k: 'кκ',
    l: '1ӏ',
    m: 'м',
    n: 'пη',
    o: '0оοσø',
    p: 'рρ',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    t: 'тτ',
    u: 'υ',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уүγ',
  }).flatMap(([plain, others]) => Array.from(others, (other) => [other, plain] as const)),
)

const reservedWords = 'nobody none all everyone here system human director'
const reserved = new Set(reservedWords.split(' ').map(bareSkeleton))

function bareSkeleton(handle: string): string {
  return handleSkeleton(handle).replace(/[-_]/g, '').replaceAll('i', 'l')
}

function nameSlug(name: string): string {
  const key = handleKey(name).replace(/['’]|[\u0300-\u036f]/g, '')
  const first = new RegExp(letter, 'u').exec(key)?.[0]
  const script = scripts.find((one) => first !== undefined && new RegExp(one, 'u').test(first))
  if (script === undefined) return 'member'
  const words = key.matchAll(new RegExp(`(?:${script}|[0-9_])+`, 'gu'))
  return trimEdges(Array.from(words, ([word]) => word).join('-'))
}

function cutTo(length: number, handle: string): string {
  return trimEdges(Array.from(handle).slice(0, length).join(''))
}

function trimEdges(handle: string): string {
  return handle.replace(/^[^\p{L}0-9]+|[_-]+$/gu, '')
}
