const REPLACEMENT = '\ufffd'

/**
 * The value as JSON that Postgres can store. U+0000 and lone surrogates are no text to it; JSON.stringify writes each of them as
 * an escape and nothing else that way, so that they are found, in keys too, by walking over the escapes.
 */
export function toJsonText(value: unknown): { readonly text: string; readonly replaced: number } {
  const raw = JSON.stringify(value)
  if (!raw.includes('\\u')) return { text: raw, replaced: 0 }
  let replaced = 0
  const text = raw.replace(/\\(?:u([0-9a-f]{4})|.)/g, (escape, hex: string | undefined) => {
    if (hex === undefined || !isUnstorable(hex)) return escape
    replaced += 1
    return REPLACEMENT
  })
  return { text, replaced }
}

function isUnstorable(hex: string): boolean {
  const unit = Number.parseInt(hex, 16)
  return unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)
}
