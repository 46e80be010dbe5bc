import type { Context, MiddlewareHandler } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { type Actor, type PersonActor, findActor, requireRole } from '@arbe/core/access/authorship'
import { Refused } from '@arbe/core/access/refused'
import type { Executor } from '@arbe/core/db/executor'
import type { Role } from '@arbe/sdk/api'
import { DoorRefused } from './problem.ts'
import type { RateLimit } from './rate-limit.ts'

const COOKIE = 'arbe_session'
export const SESSION_SECONDS = 30 * 24 * 60 * 60

export interface ActorEnv<A extends Actor = Actor> {
  Variables: { actor: A; db: Executor; changes: RateLimit }
}

/** Reads who speaks from the token alone. A header wins over the cookie: who sends one means it. */
export const authenticate: MiddlewareHandler<ActorEnv> = async (c, next) => {
  const token = bearerToken(c) ?? getCookie(c, COOKIE)
  const actor = token === undefined ? undefined : await findActor(c.get('db'), token)
  if (actor === undefined)
    throw new Refused('unauthorized', 'Sign in first: the session is missing or has ended.')
  // By account and not by token: whoever makes a hundred tokens is still one.
  if (c.req.method !== 'GET' && !c.get('changes').take(actor.id))
    throw new DoorRefused('too_many_requests', 'Too many changes at once: wait a moment.')
  c.set('actor', actor)
  return next()
}

function bearerToken(c: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}

/** Lets a person with at least this role pass. */
export function requirePerson(least: Role): MiddlewareHandler<ActorEnv<PersonActor>> {
  return async (c, next) => {
    requireRole(c.get('actor'), least)
    return next()
  }
}

/** Lax, so that a link from elsewhere opens the house signed in; changes are guarded by their origin. */
export function setSession(c: Context, token: string, isSecure: boolean): void {
  setCookie(c, COOKIE, token, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecure,
    path: '/',
    maxAge: SESSION_SECONDS,
  })
}

export function clearSession(c: Context): void {
  deleteCookie(c, COOKIE, { path: '/' })
}
