import { isDatabaseAway } from '@arbe/core/db/database-away'
import { Refused, type RefusalCode } from '@arbe/core/access/refused'
import { EntryRefused } from '@arbe/core/streams/entry-draft'
import type { Problem } from '@arbe/sdk/api'
import { HTTPException } from 'hono/http-exception'

/** Refusals that only the door knows. */
type DoorCode =
  | 'body_too_large'
  | 'length_required'
  | 'host_refused'
  | 'origin_refused'
  | 'token_in_query'
  | 'too_many_requests'
  | 'not_ready'
  | 'internal'

const problems: Readonly<
  Record<RefusalCode | DoorCode, { readonly status: number; readonly title: string }>
> = {
  invalid_body: { status: 400, title: 'The request is malformed' },
  handle_refused: { status: 400, title: 'The name cannot be used' },
  token_in_query: { status: 400, title: 'A token stands in the address' },
  unauthorized: { status: 401, title: 'Not signed in' },
  link_refused: { status: 401, title: 'The link does not work' },
  forbidden: { status: 403, title: 'Not allowed' },
  host_refused: { status: 403, title: 'Unknown host' },
  origin_refused: { status: 403, title: 'Another site sent this' },
  not_found: { status: 404, title: 'Not found' },
  key_conflict: { status: 409, title: 'The idempotency key was used for something else' },
  handle_taken: { status: 409, title: 'The handle is taken' },
  name_taken: { status: 409, title: 'The name is taken' },
  sandbox_unavailable: { status: 409, title: 'Commands cannot run there' },
  last_owner: { status: 409, title: 'A house needs an owner' },
  bot_unavailable: { status: 409, title: 'The bot cannot be asked' },
  length_required: { status: 411, title: 'The request does not say how long it is' },
  message_too_long: { status: 413, title: 'The message is too long' },
  body_too_large: { status: 413, title: 'The request is too large' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something broke' },
  not_ready: { status: 503, title: 'Not ready' },
}

export class DoorRefused extends Error {
  override readonly name = 'DoorRefused'
  readonly code: DoorCode
  constructor(code: DoorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Everything thrown in a request ends here; what is not a refusal says nothing of itself, since it may hold a secret. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Refused || error instanceof DoorRefused)
    return problem(error.code, error.message)
  if (error instanceof EntryRefused)
    return problem(error.code === 'too_large' ? 'message_too_long' : 'invalid_body', error.message)
  if (error instanceof HTTPException && error.status < 500)
    return problem('invalid_body', error.message)
  // A character that no text may hold, a number past its type: wherever it stood, the caller sent it.
  if (isUnstorable(error))
    return problem('invalid_body', 'Something in the request cannot be stored, such as U+0000.')
  if (isDatabaseAway(error))
    return problem('not_ready', 'The house cannot reach its database; try again in a moment.')
  return problem('internal', 'The server could not do this; its log says why.')
}

// Classes of SQLSTATE.
const UNSTORABLE = /^(?:22|54)/

function isUnstorable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNSTORABLE.test(String(error.code))
}

export function problem(code: RefusalCode | DoorCode, detail: string): Problem {
  const { status, title } = problems[code]
  return { type: `/docs/errors.md#${code}`, title, status, code, detail }
}

export function respond(body: Problem): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(body.status === 429 || body.status === 503 ? { 'retry-after': '1' } : {}),
    },
  })
}
