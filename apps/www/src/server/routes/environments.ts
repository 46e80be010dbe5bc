import { z } from '@hono/zod-openapi'
import { makeOnce } from '@arbe/core/access/keyed-request'
import { Refused } from '@arbe/core/access/refused'
import { removeEnvironmentAndBox, startEnvironment } from '@arbe/core/dispatch/environment-box'
import type { SandboxRuntime, SandboxRuntimes } from '@arbe/core/dispatch/sandbox'
import {
  createEnvironment,
  editEnvironment,
  getEnvironment,
  listEnvironments,
} from '@arbe/core/environments/environments'
import {
  EnvironmentInputSchema,
  EnvironmentPatchSchema,
  EnvironmentSchema,
  type SandboxProvider,
  SandboxProviderSchema,
} from '@arbe/sdk/environments'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  keyedRequest,
  nothing,
  person,
  refused,
} from '../house-api.ts'

const params = z.object({ environmentId: z.string().max(80) })

const listProvidersRoute = person('member', {
  method: 'get',
  path: '/v1/sandbox-providers',
  summary: 'What environments can run on here, and what is wrong with those that do not work',
  responses: {
    200: json('All of them', z.object({ providers: z.array(SandboxProviderSchema) })),
    default: refused,
  },
})

const listEnvironmentsRoute = person('member', {
  method: 'get',
  path: '/v1/environments',
  summary: 'What a thread can be bound to, for its bots to run commands',
  responses: {
    200: json('All of them', z.object({ environments: z.array(EnvironmentSchema) })),
    default: refused,
  },
})

const createEnvironmentRoute = person('admin', {
  method: 'post',
  path: '/v1/environments',
  summary: 'Make an environment; it has no box until it is started',
  request: { body: jsonBody(EnvironmentInputSchema) },
  responses: { 201: json('The environment', EnvironmentSchema), default: refused },
})

const changeEnvironmentRoute = person('admin', {
  method: 'patch',
  path: '/v1/environments/{environmentId}',
  summary: 'Change an environment; the next command has what it says then',
  request: { params, body: jsonBody(EnvironmentPatchSchema) },
  responses: { 200: json('The environment as changed', EnvironmentSchema), default: refused },
})

const startEnvironmentRoute = person('member', {
  method: 'post',
  path: '/v1/environments/{environmentId}/start',
  summary: 'See to it that an environment has a box; one that is lost is replaced by an empty one',
  request: { params, body: jsonBody(z.strictObject({})) },
  responses: { 200: json('The environment', EnvironmentSchema), default: refused },
})

const removeEnvironmentRoute = person('admin', {
  method: 'delete',
  path: '/v1/environments/{environmentId}',
  summary: 'Remove an environment, its box and all that is in it',
  request: { params },
  responses: { 204: nothing, default: refused },
})

export function environmentRoutes({ db, runtimes }: HouseParts) {
  return houseApi()
    .openapi(listProvidersRoute, async (c) =>
      c.json({ providers: await Promise.all([...runtimes.values()].map(presentProvider)) }, 200),
    )
    .openapi(listEnvironmentsRoute, async (c) =>
      c.json({ environments: [...(await listEnvironments(db, c.get('actor').houseId))] }, 200),
    )
    .openapi(createEnvironmentRoute, async (c) => {
      const actor = c.get('actor')
      const input = c.req.valid('json')
      requireProvider(runtimes, input.provider)
      const { id } = await db.transaction((tx) =>
        makeOnce(tx, keyedRequest(c, actor, input), () =>
          createEnvironment(tx, actor.houseId, input),
        ),
      )
      return c.json(await getEnvironment(db, actor.houseId, id), 201)
    })
    .openapi(changeEnvironmentRoute, async (c) => {
      const { houseId } = c.get('actor')
      const id = c.req.valid('param').environmentId
      const patch = c.req.valid('json')
      await db.transaction((tx) => editEnvironment(tx, houseId, { id, patch }))
      return c.json(await getEnvironment(db, houseId, id), 200)
    })
    .openapi(startEnvironmentRoute, async (c) => {
      const { houseId } = c.get('actor')
      const id = c.req.valid('param').environmentId
      return c.json(await startEnvironment({ db, runtimes, houseId }, id), 200)
    })
    .openapi(removeEnvironmentRoute, async (c) => {
      const { houseId } = c.get('actor')
      const id = c.req.valid('param').environmentId
      await removeEnvironmentAndBox({ db, runtimes, houseId }, id)
      return c.body(null, 204)
    })
}

async function presentProvider(runtime: SandboxRuntime): Promise<SandboxProvider> {
  const { status, ...rest } = await runtime.probe()
  return { name: runtime.name, status, ...('remedy' in rest && rest) }
}

function requireProvider(runtimes: SandboxRuntimes, name: string): void {
  if (runtimes.has(name)) return
  const known = [...runtimes.keys()].join(', ') || 'none'
  throw new Refused(
    'invalid_body',
    `There are no sandboxes of the kind "${name}" here, but: ${known}.`,
  )
}
