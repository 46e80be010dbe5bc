import { ApiError } from '@arbe/sdk/client'
import { FeedRefused } from '@arbe/sdk/live-feed'
import { CliError, EXIT, type ExitCode } from './exit.ts'

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.code
  const isRefusal = error instanceof ApiError || error instanceof FeedRefused
  return isRefusal ? codeOfStatus(error.status) : EXIT.failure
}

function codeOfStatus(status: number): ExitCode {
  switch (status) {
    case 400:
      return EXIT.usage
    case 401:
    case 403:
      return EXIT.notAllowed
    case 404:
      return EXIT.notFound
    case 409:
      return EXIT.conflict
    default:
      return EXIT.failure
  }
}

export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ApiError && error.status === 401 && error.code === 'unauthorized')
    return `${error.message} Log in again: arbe login <link>.`
  // Node hides behind these words why a connection failed.
  if (error.message !== 'fetch failed') return error.message
  return `The house does not answer: ${reasonOf(error.cause)}.`
}

/** A name with several addresses fails with one error for each, and none of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message : 'no connection'
}
