import type { MiddlewareHandler } from 'hono'
import { DoorRefused } from './problem.ts'
import { Refused } from '@arbe/core/access/refused'

const KIB = 1024
const BODY_KIB = 256
const IMPORT_KIB = 4 * 1024
const DEEPEST = 32

/** By the declared length, which Node holds a request to: a body that is too long is not read at all. */
export const limitBody: MiddlewareHandler = async (c, next) => {
  if (c.req.header('transfer-encoding') !== undefined)
    throw new DoorRefused('length_required', 'Send the body in one piece, with its Content-Length.')
  const most = IMPORT.test(c.req.path) ? IMPORT_KIB : BODY_KIB
  if (Number(c.req.header('content-length') ?? 0) > most * KIB)
    throw new DoorRefused(
      'body_too_large',
      `A request holds at most ${most * KIB} bytes (${most} KiB) here.`,
    )
  return next()
}

const IMPORT = /^\/v1\/threads\/[^/]+\/import$/

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
