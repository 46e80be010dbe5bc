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
  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
