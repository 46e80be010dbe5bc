import { z } from '@hono/zod-openapi'
import { requireRole } from '@arbe/core/access/authorship'
import { issueOnce } from '@arbe/core/access/keyed-request'
import { Refused } from '@arbe/core/access/refused'
import { issueToken, listTokens, revokeTokenById } from '@arbe/core/access/tokens'
import { InvitationInfoSchema, InvitationInputSchema, InvitationSchema } from '@arbe/sdk/api'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  keyedRequest,
  nothing,
  publicOrigin,
  refused,
  person,
} from '../house-api.ts'

const KINDS = ['invitation'] as const
const DAY = 24 * 60 * 60

const createInvitationRoute = person('admin', {
  method: 'post',
  path: '/v1/invitations',
  summary: 'Make a link by which people join until it expires or is revoked',
  request: { body: jsonBody(InvitationInputSchema) },
  responses: { 201: json('The link, shown this once', InvitationSchema), default: refused },
})

const listInvitationsRoute = person('admin', {
  method: 'get',
  path: '/v1/invitations',
  summary: 'Invitations that still work',
  responses: {
    200: json('All of them', z.object({ invitations: z.array(InvitationInfoSchema) })),
    default: refused,
  },
})

const removeInvitationRoute = person('admin', {
  method: 'delete',
  path: '/v1/invitations/{invitationId}',
  summary: 'Revoke an invitation',
  request: { params: z.object({ invitationId: z.string().max(80) }) },
  responses: { 204: nothing, default: refused },
})

export function invitationRoutes({ db, config }: HouseParts) {
  return houseApi()
    .openapi(createInvitationRoute, async (c) => {
      const actor = c.get('actor')
      const input = c.req.valid('json')
      if (input.role === 'admin') requireRole(actor, 'owner')
      const issued = await db.transaction((tx) =>
        issueOnce(tx, keyedRequest(c, actor, input), () =>
          issueToken(tx, {
            kind: 'invitation',
            houseId: actor.houseId,
            actorId: actor.id,
            role: input.role,
            ttlSeconds: input.days * DAY,
          }),
        ),
      )
      return c.json(
        {
          id: issued.id,
          url: `${publicOrigin(c, config)}/join/${issued.token}`,
          expiresAt: issued.expiresAt?.toISOString() ?? '',
        },
        201,
      )
    })
    .openapi(listInvitationsRoute, async (c) => {
      const tokens = await listTokens(db, c.get('actor').houseId, KINDS)
      const invitations = tokens.map(({ id, role, expiresAt, createdAt }) => ({
        id,
        role: role ?? 'guest',
        expiresAt: expiresAt?.toISOString() ?? '',
        createdAt: createdAt.toISOString(),
      }))
      return c.json({ invitations }, 200)
    })
    .openapi(removeInvitationRoute, async (c) => {
      const id = c.req.valid('param').invitationId
      if (!(await revokeTokenById(db, c.get('actor').houseId, { id, kinds: KINDS })))
        throw new Refused('not_found', `There is no live invitation "${id}".`)
      return c.body(null, 204)
    })
}
