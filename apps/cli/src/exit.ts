import { ApiError } from '@arbe/sdk/client'

/** What a script may rely on. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  nobodySpoke: 6,
  timedOut: 124,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An end with a code of its own and a sentence for stderr. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: ExitCode
  constructor(code: ExitCode, message: string) {
    super(message)
    this.code = code
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.code
  if (!(error instanceof ApiError)) return EXIT.failure
  if (error.status === 404) return EXIT.notFound
  if (error.status === 401 || error.status === 403) return EXIT.notAllowed
  if (error.status === 409) return EXIT.conflict
  return EXIT.failure
}

export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node hides why a connection failed behind "fetch failed".
  const cause = error.message === 'fetch failed' ? error.cause : undefined
  if (cause instanceof Error) return `The house does not answer: ${cause.message}.`
  return error.message
}
