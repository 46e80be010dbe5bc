export type DisplayNameCheck =
  | { readonly status: 'ok'; readonly name: string }
  | { readonly status: 'error'; readonly error: DisplayNameError }

export type DisplayNameError =
  /** Nothing in it can be seen. */
  | 'empty'
  | 'too_long'
  /** A line break, a control or bidi character, or another that is not seen but changes its surroundings. */
  | 'bad_character'

const longestDisplayName = 64

/** For the names of people and bots and, with another limit, for titles: one line that shows what it is. */
export function checkDisplayName(raw: string, limit = longestDisplayName): DisplayNameCheck {
  const name = raw.trim().normalize('NFC')
  if (hidden.test(name)) return { status: 'error', error: 'bad_character' }
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replace(/[\p{DI}\u2800]/gu, ''))) {
    return { status: 'error', error: 'empty' }
  }
  if (Array.from(name).length > limit) return { status: 'error', error: 'too_long' }
  return { status: 'ok', name }
}

// The two joiners stay: emoji, Persian and Indian scripts are written with them.
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
