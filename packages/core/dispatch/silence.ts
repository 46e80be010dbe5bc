/** Silence is a tool or an outcome, never a text. These are what models write for it all the same. */
const TOKENS = [
  'NO_REPLY',
  'NO REPLY',
  'NO-REPLY',
  'NOREPLY',
  'NO_RESPONSE',
  'NO RESPONSE',
  'NOTHING_TO_ADD',
  // Words of their own in lower case: "pass" may be how a test went.
  'SILENT',
  'SILENCE',
  'IGNORE',
  'SKIP',
  'PASS',
]

/** True when the text is a token and nothing else: `**[SILENT]**`, `NO_REPLY.` */
export function isSilenceToken(text: string): boolean {
  const token = bare(text)
  return TOKENS.includes(token) || /^no[ _-]?(?:reply|response)$/i.test(token)
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
const DECORATION = /[*_`~()[\]<>"]/g
const NEEDED = '(?: (?:is )?(?:needed|necessary|required))?'
// Whole texts: "No reply from the server" and "Nothing to add: here is the list" say something.
const DECLINE = new RegExp(
  [
    `no reply${NEEDED}(?:$|[.!,]|\\s+[-–—])`,
    `no (?:response|answer|comment)${NEEDED}[.!]?$`,
    `(?:i have |i['’]ve got )?nothing (?:more |else )?to add\\b[^:]*$`,
    `(?:staying|i(?:['’]ll| will) stay) (?:silent|quiet)\\b[^:]*$`,
    `i(?:['’]ll| will)? pass[.!]?$`,
  ]
    .map((pattern) => `^(?:${pattern})`)
    .join('|'),
  'i',
)

function bare(text: string): string {
  return text.replaceAll(/[^\p{L}_\s-]/gu, '').trim()
}

function mayBecomeToken(text: string): boolean {
  const start = bare(text).toUpperCase()
  if (start === '') return text.length < LONGEST_HELD
  return TOKENS.some((token) => token.startsWith(start))
}

// Longer than any token with its decoration.
const LONGEST_HELD = 24
