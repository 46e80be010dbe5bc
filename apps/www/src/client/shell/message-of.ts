import { ApiError } from '@arbe/sdk/client'

/** What went wrong, and what one may do: the server's own sentence, or that it could not be reached. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  // What a browser throws when there is no network says nothing to people.
  if (error instanceof TypeError) return 'The house cannot be reached. Try again in a moment.'
  return error instanceof Error ? error.message : String(error)
}
