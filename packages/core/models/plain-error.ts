import { headOfText } from '@arbe/sdk/cut-text'

/** A provider's error as one sentence for people, without what it must not show. */
export function plainError(error: string, secrets: readonly string[]): string {
  let text = messageIn(error).replaceAll(/\s+/g, ' ').trim()
  for (const secret of secrets) text = text.replaceAll(secret, HIDDEN)
  text = text.replaceAll(KEY_SHAPES, HIDDEN)
  return text.length > LONGEST ? `${headOfText(text, LONGEST)}…` : text
}

const HIDDEN = '[key]'
const LONGEST = 300
// Providers quote the key they refuse, shortened or not.
const KEY_SHAPES = /\b(?:sk|pk|xai|gsk|key|AIza)[-_][\w*.-]{6,}|\bBearer \S+/g

/** Most providers answer with JSON around the one sentence that helps. */
function messageIn(error: string): string {
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(error)?.[1]
  if (message === undefined) return error
  const status = /^\d{3}\b/.exec(error)?.[0]
  const sentence = String(JSON.parse(message))
  return status === undefined ? sentence : `${status}: ${sentence}`
}
