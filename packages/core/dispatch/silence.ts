/** Silence is a tool or an outcome, never a text. These are what models write for it all the same. */
const TOKENS = [
  'NO_REPLY',
  'NO REPLY',
  'NO-REPLY',
  'NO_RESPONSE',
  'NO RESPONSE',
  'NOREPLY',
  'SILENT',
  'SILENCE',
  'IGNORE',
  'SKIP',
  'PASS',
  'NOTHING_TO_ADD',
]

/** True when the text is a token and nothing else: `**[SILENT]**`, `NO_REPLY.` */
export function isSilenceToken(text: string): boolean {
  return TOKENS.includes(bare(text))
}

/** True when the text says only that nothing is said. A question or a mention in it is a message. */
export function isDecline(text: string): boolean {
  if (text.length > LONGEST_DECLINE || /[?@\n]/.test(text)) return false
  return DECLINE.test(text.replaceAll(DECORATION, '').trim())
}

/** Shows a streamed text once it can no longer be the beginning of a token, so that not even half of one appears. */
export function holdTokens(show: (text: string) => void): {
  readonly push: (delta: string) => void
  readonly restart: () => void
} {
  let held: string | undefined = ''
  return {
    push(delta) {
      if (held === undefined) return show(delta)
      held += delta
      if (mayBecomeToken(held)) return
      show(held)
      held = undefined
    },
    restart() {
      held = ''
    },
  }
}

const LONGEST_DECLINE = 100
const DECORATION = /[*_`~()[\]<>"']/g
const DECLINE =
  /^(?:no reply(?: (?:is )?(?:needed|necessary|required))?(?:$|[.!,]|\s+[-–—])|no (?:response|answer|comment)(?: (?:is )?(?:needed|necessary|required))?[.!]?$|(?:i have |i've got )?nothing (?:more |else )?to add\b[^:]*$|(?:staying|i(?:'ll| will) stay) (?:silent|quiet)\b[^:]*$|i(?:'ll| will)? pass[.!]?$)/i

function bare(text: string): string {
  return text
    .replaceAll(/[^\p{L}_\s-]/gu, '')
    .trim()
    .toUpperCase()
}

function mayBecomeToken(text: string): boolean {
  const start = bare(text)
  if (start === '') return text.length < LONGEST_HELD
  return TOKENS.some((token) => token.startsWith(start))
}

// Longer than any token with its decoration.
const LONGEST_HELD = 24
