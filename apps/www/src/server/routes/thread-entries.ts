import { z } from '@hono/zod-openapi'
import { Refused } from '@arbe/core/access/refused'
import { readAfter, readBefore } from '@arbe/core/streams/thread-stream'
import { appendMessage } from '@arbe/core/threads/append-message'
import { openThread } from '@arbe/core/threads/open-thread'
import { toOffset } from '@arbe/sdk'
import { AppendInputSchema, AppendedSchema } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'
import {
  type HouseParts,
  clientKey,
  houseApi,
  json,
  jsonBody,
  refused,
  personOrBot,
} from '../house-api.ts'
import { EntryReply } from '../stream-replies.ts'
import { threadParams } from '../thread-params.ts'

const END = Number.MAX_SAFE_INTEGER
const offset = z.coerce.number().int().min(0).max(END)

const where = z.object({
  after: offset.optional(),
  before: offset.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

const PageSchema = z.object({
  entries: z.array(EntryReply),
  more: z
    .boolean()
    .openapi({ description: 'More entries stand beyond this page, in the direction read' }),
})

const listEntriesRoute = personOrBot({
  method: 'get',
  path: '/v1/threads/{threadId}/entries',
  summary: 'Entries after or before a position, oldest first; the last ones when neither is named',
  request: { params: threadParams, query: where },
  responses: { 200: json('A page of the stream', PageSchema), default: refused },
})

const appendEntryRoute = personOrBot({
  method: 'post',
  path: '/v1/threads/{threadId}/entries',
  summary: 'Say something, edit or delete it, ask a bot, continue, or stop',
  request: { params: threadParams, body: jsonBody(AppendInputSchema) },
  responses: {
    200: json('It stood there already, under the same key', AppendedSchema),
    201: json('Where it stands', AppendedSchema),
    default: refused,
  },
})

export function threadEntryRoutes({ db, door }: HouseParts) {
  return houseApi()
    .openapi(listEntriesRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      const { after, before, limit } = c.req.valid('query')
      if (after !== undefined && before !== undefined)
        throw new Refused('invalid_body', 'Name `after` or `before`, not both.')
      await openThread(db, actor, { threadId })
      const thread = { houseId: actor.houseId, threadId }
      // One more than asked for tells whether there is more; it is not handed out.
      if (after !== undefined) {
        const { entries } = await readAfter(db, thread, {
          after: toOffset(after),
          limit: limit + 1,
        })
        return c.json({ entries: entries.slice(0, limit), more: entries.length > limit }, 200)
      }
      const place = { before: toOffset(before ?? END), limit: limit + 1 }
      const { entries } = await readBefore(db, thread, place)
      return c.json({ entries: entries.slice(-limit), more: entries.length > limit }, 200)
    })
    .openapi(appendEntryRoute, async (c) => {
      const posted = await appendMessage(door, c.get('actor'), {
        threadId: c.req.valid('param').threadId,
        clientKey: clientKey(c) ?? randomUUID(),
        input: c.req.valid('json'),
      })
      return c.json(posted, posted.duplicate ? 200 : 201)
    })
}
