import { z } from '@hono/zod-openapi'
import { hasRole, requireRole } from '@arbe/core/access/authorship'
import { requireDisplayName } from '@arbe/core/access/handles'
import { issueOnce } from '@arbe/core/access/keyed-request'
import { Refused } from '@arbe/core/access/refused'
import { issueToken, listTokens, revokeTokenById } from '@arbe/core/access/tokens'
import { issueBotToken } from '@arbe/core/bots/outside-bot'
import { toActorId } from '@arbe/sdk'
import { NewTokenSchema, TokenInfoSchema, TokenInputSchema } from '@arbe/sdk/api'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  keyedRequest,
  nothing,
  refused,
  person,
} from '../house-api.ts'

const KINDS = ['pat', 'bot'] as const

const createTokenRoute = person('guest', {
  method: 'post',
  path: '/v1/tokens',
  summary: 'Make a token for the command line, a program, or a bot driven from outside',
  request: { body: jsonBody(TokenInputSchema) },
  responses: { 201: json('The token, shown this once', NewTokenSchema), default: refused },
})

const listTokensRoute = person('guest', {
  method: 'get',
  path: '/v1/tokens',
  summary: 'One’s own tokens; for admins those of bots too',
  responses: {
    200: json('Tokens that still work', z.object({ tokens: z.array(TokenInfoSchema) })),
    default: refused,
  },
})

const removeTokenRoute = person('guest', {
  method: 'delete',
  path: '/v1/tokens/{tokenId}',
  summary: 'Revoke a token: one’s own, or as an admin a bot’s',
  request: { params: z.object({ tokenId: z.string().max(80) }) },
  responses: { 204: nothing, default: refused },
})

export function tokenRoutes({ db }: HouseParts) {
  return houseApi()
    .openapi(createTokenRoute, async (c) => {
      const actor = c.get('actor')
      const input = c.req.valid('json')
      const { bot } = input
      const label = requireDisplayName(input.label)
      if (bot !== undefined) requireRole(actor, 'admin')
      const issued = await db.transaction((tx) =>
        issueOnce(tx, keyedRequest(c, actor, input), () =>
          bot === undefined
            ? issueToken(tx, { kind: 'pat', houseId: actor.houseId, actorId: actor.id, label })
            : issueBotToken(tx, actor.houseId, { id: toActorId(bot), label }),
        ),
      )
      return c.json({ id: issued.id, token: issued.token }, 201)
    })
    .openapi(listTokensRoute, async (c) => {
      const actor = c.get('actor')
      const all = await listTokens(db, actor.houseId, KINDS)
      const tokens = all.flatMap(({ id, kind, actorId, label, createdAt }) =>
        (kind === 'pat' && actorId === actor.id) || (kind === 'bot' && hasRole(actor, 'admin'))
          ? [{ id, kind, actor: actorId ?? '', label, createdAt: createdAt.toISOString() }]
          : [],
      )
      return c.json({ tokens }, 200)
    })
    .openapi(removeTokenRoute, async (c) => {
      const actor = c.get('actor')
      const id = c.req.valid('param').tokenId
      const { houseId } = actor
      const isRevoked =
        (await revokeTokenById(db, houseId, { id, kinds: ['pat'], actorId: actor.id })) ||
        (hasRole(actor, 'admin') && (await revokeTokenById(db, houseId, { id, kinds: ['bot'] })))
      if (!isRevoked) throw new Refused('not_found', `You have no live token "${id}".`)
      return c.body(null, 204)
    })
}
