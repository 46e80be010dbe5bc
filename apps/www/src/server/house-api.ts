import { OpenAPIHono, type RouteConfig, createRoute, type z } from '@hono/zod-openapi'
import { ProblemSchema, type Role } from '@arbe/sdk/api'
import { type PersonActor, type Actor, namespacedKey } from '@arbe/core/access/authorship'
import type { KeyedRequest } from '@arbe/core/access/keyed-request'
import { Refused } from '@arbe/core/access/refused'
import type { Database } from '@arbe/core/db/executor'
import type { SandboxRuntimes } from '@arbe/core/dispatch/sandbox'
import type { Models } from '@arbe/core/models/model'
import type { MessageDoor } from '@arbe/core/threads/append-message'
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import type { LiveBus } from '@arbe/core/streams/live-bus'
import type { WwwConfig } from './config.ts'
import type { LiveFeeds } from './live-feeds.ts'
import { requireJson } from './json-body.ts'
import { type ActorEnv, authenticate, requirePerson } from './session.ts'

/** What the routes work with; built once, in start-www.ts. */
export interface HouseParts {
  readonly db: Database
  readonly door: MessageDoor
  readonly models: Models
  readonly runtimes: SandboxRuntimes
  readonly config: WwwConfig
  readonly bus: Pick<LiveBus, 'publish' | 'appended'>
  readonly feeds: Pick<LiveFeeds, 'open' | 'lookForJoins'>
}

type Described = Omit<RouteConfig, 'middleware'>

// A route cannot be made without a policy. It stands in the API's description as `x-access`, from which the tests of every refusal
// are generated.

export const anyone = <const R extends Described>(route: R) =>
  createRoute({ ...route, 'x-access': 'anyone', middleware: requireJson })

/** People with at least this role. */
export function person<const R extends Described>(least: Role, route: R) {
  const middleware: MiddlewareHandler<ActorEnv<PersonActor>> = every(
    authenticate,
    requirePerson(least),
    requireJson,
  )
  return createRoute({ ...route, 'x-access': least, middleware })
}

/** People of any role, and bots driven from outside. */
export function personOrBot<const R extends Described>(route: R) {
  const middleware: MiddlewareHandler<ActorEnv> = every(authenticate, requireJson)
  return createRoute({ ...route, 'x-access': 'guest or bot', middleware })
}

export function houseApi(): OpenAPIHono {
  return new OpenAPIHono({
    defaultHook: (result) => {
      if (!result.success) throw new Refused('invalid_body', firstIssue(result))
    },
  })
}

const places: Readonly<Record<string, string>> = { json: 'body', query: 'address', param: 'path' }

function firstIssue(result: { readonly target: string; readonly error: z.ZodError }): string {
  const place = places[result.target] ?? result.target
  const [issue] = result.error.issues
  if (issue === undefined) return `The ${place} cannot be read.`
  if (issue.code === 'unrecognized_keys')
    return `The ${place} holds what it may not: ${issue.keys.map((key) => `"${key}"`).join(', ')}.`
  const where = issue.path.length === 0 ? '' : `, ${issue.path.join('.')}`
  return `In the ${place}${where}: ${issue.message}.`
}

export const json = <S extends z.ZodType>(description: string, schema: S) => ({
  description,
  content: { 'application/json': { schema } },
})

export const jsonBody = <S extends z.ZodType>(schema: S) => ({
  required: true,
  content: { 'application/json': { schema } },
})

export const nothing = { description: 'Done.' }

export const refused = {
  description: 'Refused; `code` says why.',
  content: { 'application/problem+json': { schema: ProblemSchema } },
}

const KEY = /^[\x21-\x7e]{1,200}$/

/** The caller's `Idempotency-Key`; undefined when it sent none. */
export function clientKey(c: Context): string | undefined {
  const key = c.req.header('idempotency-key')
  if (key === undefined || KEY.test(key)) return key
  throw new Refused('invalid_body', 'An Idempotency-Key has 1 to 200 visible ASCII characters.')
}

export function keyedRequest(c: Context, actor: Actor, input: unknown): KeyedRequest {
  const key = clientKey(c)
  return {
    houseId: actor.houseId,
    key: key === undefined ? undefined : namespacedKey(actor, `${c.req.path}:${key}`),
    input,
  }
}

/** Where links to this house begin, as the caller reaches it: the host was checked at the door. */
export function publicOrigin(c: Context, config: WwwConfig): string {
  return config.origin ?? `http://${c.req.header('host') ?? ''}`
}
