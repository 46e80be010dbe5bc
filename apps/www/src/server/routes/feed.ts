import { z } from '@hono/zod-openapi'
import { Refused } from '@arbe/core/access/refused'
import { parseFeedCursor } from '../feed-cursor.ts'
import { type HouseParts, houseApi, refused, personOrBot } from '../house-api.ts'

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // A proxy that gathers the answer before it passes it on would make the feed silent.
  'x-accel-buffering': 'no',
} as const

const readFeedRoute = personOrBot({
  method: 'get',
  path: '/v1/feed',
  summary: 'One stream of server-sent events over every thread one is in',
  description:
    'Each message is a JSON event; the `id` of an entry is a cursor over all threads. Send the last one as Last-Event-ID, or as ' +
    '`cursor` where no header can be set, and the feed goes on after it. Without one it begins now.',
  request: { query: z.object({ cursor: z.string().max(10_000).optional() }) },
  responses: {
    200: {
      description: 'The feed, until one side closes it',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    default: refused,
  },
})

export function feedRoutes({ feeds }: HouseParts) {
  return houseApi().openapi(readFeedRoute, async (c) => {
    const text = c.req.header('last-event-id') ?? c.req.valid('query').cursor
    const cursor = text === undefined || text === '' ? undefined : parseFeedCursor(text)
    if (text !== undefined && text !== '' && cursor === undefined)
      throw new Refused('invalid_body', 'This is no cursor of this feed.')
    return new Response(await feeds.open(c.get('actor'), cursor), { headers })
  })
}
