import { z } from '@hono/zod-openapi'
import { Refused } from '@arbe/core/access/refused'
import { botToolNames } from '@arbe/core/dispatch/bot-tool-names'
import { systemClock } from '@arbe/core/dispatch/clock'
import { listAsked } from '@arbe/core/models/asked-requests'
import { createBooks } from '@arbe/core/models/ledger'
import type { ReadingAsker } from '@arbe/core/thread-director/thread-director-model-call'
import { replayDecisions } from '@arbe/core/thread-director/replay-decisions'
import { whoWouldSpeak } from '@arbe/core/thread-director/who-would-speak'
import { openThread } from '@arbe/core/threads/open-thread'
import { DirectorReplayInputSchema, WhoWouldSpeakInputSchema } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'
import { untilCallerGone } from '../caller-gone.ts'
import { type HouseParts, houseApi, json, jsonBody, refused, person } from '../house-api.ts'
import { DirectorReplayReply, ModelAskedReply, WhoWouldSpeakReply } from '../stream-replies.ts'
import { threadParams } from '../thread-params.ts'

const whoWouldSpeakRoute = person('guest', {
  method: 'post',
  path: '/v1/threads/{threadId}/who-would-speak',
  summary: 'Who would answer a text, if one said it now; nothing is said',
  request: { params: threadParams, body: jsonBody(WhoWouldSpeakInputSchema) },
  responses: { 200: json('What the director would decide', WhoWouldSpeakReply), default: refused },
})

const listAskedRoute = person('owner', {
  method: 'get',
  path: '/v1/threads/{threadId}/decisions/{d}/requests',
  summary: 'What a model was asked for a decision, and what it answered; kept for thirty days',
  request: {
    params: threadParams.extend({
      d: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER),
    }),
  },
  responses: {
    200: json('Every call, in its order', z.object({ requests: z.array(ModelAskedReply) })),
    default: refused,
  },
})

const replayRoute = person('owner', {
  method: 'post',
  path: '/v1/threads/{threadId}/director-replay',
  summary: 'Decide again what was decided, and compare; nothing is said',
  request: { params: threadParams, body: jsonBody(DirectorReplayInputSchema) },
  responses: { 200: json('Then and now', DirectorReplayReply), default: refused },
})

/** Looks at decisions that change nothing: before one is made, and after. */
export function threadLookRoutes(parts: HouseParts) {
  const asker = askerOf(parts)
  return houseApi()
    .openapi(whoWouldSpeakRoute, async (c) => {
      const { threadId } = c.req.valid('param')
      const signal = untilCallerGone(c.req.raw)
      const wish = { threadId, input: c.req.valid('json'), signal }
      return c.json(await whoWouldSpeak(asker, c.get('actor'), wish), 200)
    })
    .openapi(replayRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      const { last, model } = c.req.valid('json')
      await openThread(parts.db, actor, { threadId })
      if (model !== undefined && parts.models.find(model) === undefined)
        throw new Refused('invalid_body', `The house knows no model "${model}".`)
      const signal = untilCallerGone(c.req.raw)
      const wish = { houseId: actor.houseId, threadId, last, model, signal }
      return c.json(await replayDecisions(asker, wish), 200)
    })
    .openapi(listAskedRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId, d } = c.req.valid('param')
      await openThread(parts.db, actor, { threadId })
      const thread = { houseId: actor.houseId, threadId }
      return c.json({ requests: [...(await listAsked(parts.db, thread, d))] }, 200)
    })
}

function askerOf({ db, models }: HouseParts): ReadingAsker {
  return {
    db,
    books: createBooks(db),
    models,
    clock: systemClock,
    random: Math.random,
    newCallId: randomUUID,
    toolNames: ({ houseId, threadId, d }) => botToolNames({ db, houseId, threadId, decision: d }),
  }
}
