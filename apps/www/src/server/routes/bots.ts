import { z } from '@hono/zod-openapi'
import { makeOnce } from '@arbe/core/access/keyed-request'
import { createBot, editBot, getBot, listBots, removeBot } from '@arbe/core/bots/bots'
import { leaveThreads } from '@arbe/core/threads/leave-threads'
import { threadsOfBot } from '@arbe/core/threads/threads'
import { toActorId } from '@arbe/sdk'
import { BotInputSchema, BotPatchSchema, BotSchema } from '@arbe/sdk/api'
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
import { requireModel } from '../require-model.ts'

const params = z.object({ botId: z.string().max(80).transform(toActorId) })

const listBotsRoute = person('member', {
  method: 'get',
  path: '/v1/bots',
  summary: 'The bots of the house',
  responses: {
    200: json('All of them', z.object({ bots: z.array(BotSchema) })),
    default: refused,
  },
})

const createBotRoute = person('member', {
  method: 'post',
  path: '/v1/bots',
  summary: 'Make a bot',
  request: { body: jsonBody(BotInputSchema) },
  responses: { 201: json('The bot', BotSchema), default: refused },
})

const readBotRoute = person('member', {
  method: 'get',
  path: '/v1/bots/{botId}',
  summary: 'A bot',
  request: { params },
  responses: { 200: json('The bot', BotSchema), default: refused },
})

const changeBotRoute = person('member', {
  method: 'patch',
  path: '/v1/bots/{botId}',
  summary: 'Change a bot',
  request: { params, body: jsonBody(BotPatchSchema) },
  responses: { 200: json('The bot as changed', BotSchema), default: refused },
})

const removeBotRoute = person('admin', {
  method: 'delete',
  path: '/v1/bots/{botId}',
  summary: 'Remove a bot: out of every thread, its tokens ended',
  request: { params },
  responses: { 204: nothing, default: refused },
})

export function botRoutes({ db, bus, models }: HouseParts) {
  return houseApi()
    .openapi(listBotsRoute, async (c) =>
      c.json({ bots: [...(await listBots(db, c.get('actor').houseId))] }, 200),
    )
    .openapi(createBotRoute, async (c) => {
      const actor = c.get('actor')
      const input = c.req.valid('json')
      requireModel(models, input.model)
      const { id } = await db.transaction((tx) =>
        makeOnce(tx, keyedRequest(c, actor, input), () => createBot(tx, actor.houseId, input)),
      )
      return c.json(await getBot(db, actor.houseId, toActorId(id)), 201)
    })
    .openapi(readBotRoute, async (c) =>
      c.json(await getBot(db, c.get('actor').houseId, c.req.valid('param').botId), 200),
    )
    .openapi(changeBotRoute, async (c) => {
      const { houseId } = c.get('actor')
      const patch = c.req.valid('json')
      requireModel(models, patch.model ?? '')
      const id = c.req.valid('param').botId
      const bot = await db.transaction((tx) => editBot(tx, houseId, { id, patch }))
      // A new mode has left threads due, and a worker looks for them at once.
      if (patch.triggerMode !== undefined)
        for (const { threadId, head } of await threadsOfBot(db, houseId, id))
          bus.appended({ threadId, seq: head, wakes: true })
      return c.json(bot, 200)
    })
    .openapi(removeBotRoute, async (c) => {
      const actor = c.get('actor')
      const id = c.req.valid('param').botId
      await db.transaction(async (tx) => {
        await getBot(tx, actor.houseId, id)
        await leaveThreads(tx, actor, { kind: 'bot', id })
        await removeBot(tx, actor.houseId, id)
      })
      return c.body(null, 204)
    })
}
