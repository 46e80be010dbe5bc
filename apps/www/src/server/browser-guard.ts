import type { MiddlewareHandler } from 'hono'
import { type WwwConfig, isLoopback } from './config.ts'
import { DoorRefused } from './problem.ts'

const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data: blob:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `manifest-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const headers = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** On every answer, errors too: nothing the house sends may run as anything but its own page. */
export const secureHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

/** A page of another name that resolves to this machine (DNS rebinding) is turned away before anything else is looked at. */
export function requireKnownHost(config: Pick<WwwConfig, 'host' | 'origin'>): MiddlewareHandler {
  const known = config.origin === undefined ? undefined : new URL(config.origin).hostname
  return async (c, next) => {
    const name = hostName(c.req.header('host'))
    const isOwn = name === config.host || name === known || isLoopback(name)
    if (!isOwn)
      throw new DoorRefused('host_refused', 'This house does not answer to that host name.')
    return next()
  }
}

function hostName(header: string | undefined): string {
  const url = URL.parse(`http://${header ?? ''}`)
  return url === null ? '' : url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * A change that a browser sends for another site is refused, whatever cookie it carries. Clients that are no browser send neither
 * header and carry no cookie they did not ask for.
 */
export function requireOwnOrigin(config: Pick<WwwConfig, 'origin'>): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const site = c.req.header('sec-fetch-site')
    const origin = c.req.header('origin')
    const own = config.origin ?? `http://${c.req.header('host') ?? ''}`
    const isForeign =
      (site !== undefined && site !== 'same-origin' && site !== 'none') ||
      (origin !== undefined && origin !== own && origin !== `http://${c.req.header('host') ?? ''}`)
    if (isForeign)
      throw new DoorRefused('origin_refused', 'A change must come from this house’s own page.')
    return next()
  }
}

/** Addresses end up in logs, histories and referrers. */
export const refuseTokenInQuery: MiddlewareHandler = async (c, next) => {
  const query = new URL(c.req.url).searchParams
  for (const [name, value] of query)
    if (
      /^(token|access_token|api_key)$/i.test(name) ||
      /^(ses|pat|bot|own|inv|str|hnd)_/.test(value)
    )
      throw new DoorRefused(
        'token_in_query',
        'Send a token in the Authorization header, never in the address.',
      )
  return next()
}
