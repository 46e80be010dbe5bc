import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { DoorRefused } from './problem.ts'
import { Refused } from '@arbe/core/access/refused'

const BODY_BYTES = 256 * 1024
const DEEPEST = 32

/** Refuses by the declared length, and while reading when none is declared: a long body is never held as a whole. */
export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: BODY_BYTES,
  onError: () => {
    throw new DoorRefused(
      'body_too_large',
      `A request holds at most ${BODY_BYTES} bytes (256 KiB).`,
    )
  },
})

/** A change carries JSON, said to be JSON: a form of another site cannot send that without asking first. */
export const requireJson: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || c.req.method === 'DELETE') return next()
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new Refused('invalid_body', 'Send the body as application/json.')
  const text = await c.req.text()
  if (depthOf(text) > DEEPEST)
    throw new Refused('invalid_body', `The body is nested more than ${DEEPEST} levels deep.`)
  if (!isJson(text)) throw new Refused('invalid_body', 'The body is not JSON.')
  return next()
}

/** Counted before parsing, since a parser answers great depth with the end of its stack. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
