import { headOfText, tailOfText } from '@arbe/sdk/cut-text'

/** Waking entries that one decision may cover. */
export const MOST_WAKING = 100

/** What a paid decision may read, in tokens. Covered texts take at most half, so that some of the talk before them fits too. */
export const TOKEN_BUDGET = 6_000

// A pasted log of a megabyte says no more about who should answer than its two ends do.
export const COVERED_CHARS = 2_000
export const CONTEXT_CHARS = 600

const CHARS_PER_TOKEN = 4
// Offset, author and punctuation around a text.
const LINE_TOKENS = 16

/** An estimate: exact counts differ by provider, and only a bound is needed. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** Tokens that a covered text takes once it is cut and quoted. */
export function coveredTokens(text: string): number {
  return LINE_TOKENS + tokensIn(JSON.stringify(clip(text, COVERED_CHARS)))
}

/** Keeps both ends of a long text and says how much is missing between them. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const [head, tail] = [headOfText(text, half), tailOfText(text, half)]
  const missing = text.length - head.length - tail.length
  return `${head} [… ${missing} characters cut …] ${tail}`.toWellFormed()
}
