export interface Speakers {
  /** Names and handle of the bot that speaks. */
  readonly own: readonly string[]
  /** Names and handles of everybody else in the thread. */
  readonly others: readonly string[]
}

/** A reply that begins with its own author's name says it twice: `coder: done` is `done`. */
export function dropOwnLabel(text: string, { own }: Speakers): string {
  const label = own.length === 0 ? undefined : labelPattern(own).exec(text)
  return label === null || label === undefined ? text : text.slice(label[0].length).trimStart()
}

/**
 * Cuts a reply before the first line that speaks for somebody else, outside code. A list is no such line:
 * "Here is the plan:" may be followed by "Mia: the tests".
 */
export function dropForeignLines(
  text: string,
  { others }: Speakers,
): { readonly text: string; readonly cut: boolean } {
  const foreign = others.length === 0 ? undefined : labelPattern(others)
  const lines = text.split('\n')
  let fenced = false
  let announced = false
  let spoken = false
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    const names = foreign?.test(line) ?? false
    const speaks = HEADER.test(line) || (names && spoken && !announced)
    if (!fenced && speaks) return { text: lines.slice(0, index).join('\n').trimEnd(), cut: true }
    if (line.trim() === '') continue
    spoken ||= !names
    announced = line.trimEnd().endsWith(':') || (announced && names)
  }
  return { text, cut: false }
}

// How the messages of others are headed in the request: a model may copy it.
const HEADER = /^\s*\{"from":/

function labelPattern(names: readonly string[]): RegExp {
  const alternatives = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
    .join('|')
  return new RegExp(
    String.raw`^(?:\*\*|__|\[|@)*(?:${alternatives})(?:\*\*|__|\])*\s?:(?:\*\*|__)?(?=\s|$)`,
    'iu',
  )
}
