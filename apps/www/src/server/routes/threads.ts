import { z } from '@hono/zod-openapi'
import { makeOnce } from '@arbe/core/access/keyed-request'
import { Refused } from '@arbe/core/access/refused'
import { requireTitle } from '@arbe/core/access/handles'
import { changeThread } from '@arbe/core/threads/change-thread'
import { createThread } from '@arbe/core/threads/create-thread'
import {
  type ThreadDetail,
  getChangedThread,
  getThread,
  listThreads,
} from '@arbe/core/threads/threads'
import { toActorId, toOffset, toThreadId } from '@arbe/sdk'
import {
  type MuteInput,
  type ThreadPatch,
  ThreadInputSchema,
  ThreadPatchSchema,
  ThreadSchema,
  ThreadSummarySchema,
} from '@arbe/sdk/api'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  keyedRequest,
  refused,
  person,
  personOrBot,
} from '../house-api.ts'
import { presentThread } from '../present-thread.ts'
import { threadParams } from '../thread-params.ts'

const page = z.object({
  /** Only threads that this bot is in. */
  bot: z.string().max(80).optional(),
  /** `next` of the page before. */
  before: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
})

const listThreadsRoute = personOrBot({
  method: 'get',
  path: '/v1/threads',
  summary: 'The threads one is in, the last spoken in first',
  request: { query: page },
  responses: {
    200: json(
      'A page of them; `next` is null on the last one',
      z.object({ threads: z.array(ThreadSummarySchema), next: z.string().nullable() }),
    ),
    default: refused,
  },
})

const createThreadRoute = person('member', {
  method: 'post',
  path: '/v1/threads',
  summary: 'Make a thread; its maker is always in it',
  request: { body: jsonBody(ThreadInputSchema) },
  responses: { 201: json('The thread', ThreadSchema), default: refused },
})

const readThreadRoute = personOrBot({
  method: 'get',
  path: '/v1/threads/{threadId}',
  summary: 'A thread with its people and bots',
  request: { params: threadParams },
  responses: { 200: json('The thread', ThreadSchema), default: refused },
})

const changeThreadRoute = person('member', {
  method: 'patch',
  path: '/v1/threads/{threadId}',
  summary: 'Change title, people, bots, modes, mutes, limits, banter or environment',
  request: { params: threadParams, body: jsonBody(ThreadPatchSchema) },
  responses: { 200: json('The thread as changed', ThreadSchema), default: refused },
})

export function threadRoutes(parts: HouseParts) {
  const { db, models } = parts
  return houseApi()
    .openapi(listThreadsRoute, async (c) => {
      const { before, limit, bot } = c.req.valid('query')
      const threads = await listThreads(db, c.get('actor'), { before: toPlace(before), limit, bot })
      const last = threads.at(-1)
      const next = threads.length < limit || last === undefined ? null : `${last.lastAt}~${last.id}`
      return c.json({ threads: [...threads], next }, 200)
    })
    .openapi(createThreadRoute, async (c) => {
      const actor = c.get('actor')
      const input = c.req.valid('json')
      const draft = {
        title: requireTitle(input.title),
        people: input.people.map(toActorId),
        bots: input.bots.map(toActorId),
        parent: input.parent && { kind: input.parent.kind, id: toActorId(input.parent.id) },
      }
      const { id } = await db.transaction((tx) =>
        makeOnce(tx, keyedRequest(c, actor, input), () => createThread(tx, actor, draft)),
      )
      const thread = await getThread(db, actor, toThreadId(id))
      announce(parts, thread)
      return c.json(presentThread(thread, models), 201)
    })
    .openapi(readThreadRoute, async (c) => {
      const { threadId } = c.req.valid('param')
      return c.json(presentThread(await getThread(db, c.get('actor'), threadId), models), 200)
    })
    .openapi(changeThreadRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      const patch = toPatch(c.req.valid('json'))
      const thread = await db.transaction(async (tx) => {
        await changeThread(tx, actor, { threadId, patch })
        return getChangedThread(tx, { houseId: actor.houseId, threadId })
      })
      announce(parts, thread)
      return c.json(presentThread(thread, models), 200)
    })
}

/** A change may have made a bot's turn due, and may have let somebody in. */
function announce({ bus, feeds }: HouseParts, { id, head }: ThreadDetail): void {
  bus.appended({ threadId: toThreadId(id), seq: toOffset(head), wakes: true })
  feeds.lookForJoins()
}

function toPlace(before: string | undefined): { id: string; lastAt: string } | undefined {
  if (before === undefined) return undefined
  const place = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)~(.+)$/.exec(before)
  const [, lastAt, id] = place ?? []
  if (lastAt === undefined || id === undefined)
    throw new Refused('invalid_body', 'For `before`, send the `next` of the page before.')
  return { lastAt, id }
}

function toPatch(patch: ThreadPatch) {
  const {
    title,
    addPeople,
    removePeople,
    addBots,
    removeBots,
    modes,
    mutes,
    limits,
    banter,
    environment,
  } = patch
  return {
    title: title === undefined ? undefined : requireTitle(title),
    limits,
    banter,
    environment,
    addPeople: addPeople?.map(toActorId),
    removePeople: removePeople?.map(toActorId),
    addBots: addBots?.map(toActorId),
    removeBots: removeBots?.map(toActorId),
    modes: modes?.map(({ bot, mode }) => ({ bot: toActorId(bot), mode })),
    mutes: mutes?.map(toMute),
  }
}

function toMute(mute: MuteInput) {
  const bot = toActorId(mute.bot)
  return mute.muted ? { bot, muted: true, minutes: mute.for } : { bot, muted: false }
}
