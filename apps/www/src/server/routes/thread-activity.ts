import { z } from '@hono/zod-openapi'
import { openThread } from '@arbe/core/threads/open-thread'
import { listDecisions } from '@arbe/core/threads/thread-decisions'
import { readThreadState } from '@arbe/core/threads/thread-state'
import { ThreadStateSchema } from '@arbe/sdk/api'
import { DecisionReply } from '../stream-replies.ts'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  nothing,
  refused,
  person,
} from '../house-api.ts'
import { threadParams } from '../thread-params.ts'

const DecisionsSchema = z.object({
  decisions: z.array(DecisionReply),
  more: z.boolean(),
})

const where = z.object({
  /** Position of the oldest decision of the page before. */
  before: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

const readStateRoute = person('guest', {
  method: 'get',
  path: '/v1/threads/{threadId}/state',
  summary: 'What the thread is doing now',
  request: { params: threadParams },
  responses: { 200: json('From its live lease', ThreadStateSchema), default: refused },
})

const listDecisionsRoute = person('guest', {
  method: 'get',
  path: '/v1/threads/{threadId}/decisions',
  summary: 'Who was chosen, why, and what came of it; the newest first',
  request: { params: threadParams, query: where },
  responses: { 200: json('A page of decisions', DecisionsSchema), default: refused },
})

const showTypingRoute = person('guest', {
  method: 'post',
  path: '/v1/threads/{threadId}/typing',
  summary: 'Show the others that one is typing',
  request: { params: threadParams, body: jsonBody(z.strictObject({})) },
  responses: { 204: nothing, default: refused },
})

export function threadActivityRoutes({ db, bus }: HouseParts) {
  return houseApi()
    .openapi(readStateRoute, async (c) => {
      const { threadId } = c.req.valid('param')
      await openThread(db, c.get('actor'), { threadId })
      return c.json(await readThreadState(db, threadId), 200)
    })
    .openapi(listDecisionsRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      const { before, limit } = c.req.valid('query')
      await openThread(db, actor, { threadId })
      const thread = { houseId: actor.houseId, threadId }
      const found = await listDecisions(db, thread, { before, limit: limit + 1 })
      return c.json({ decisions: found.slice(0, limit), more: found.length > limit }, 200)
    })
    .openapi(showTypingRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      await openThread(db, actor, { threadId })
      bus.publish({ type: 'typing', threadId, person: actor.id })
      return c.body(null, 204)
    })
}
