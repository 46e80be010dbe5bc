import { buildAgentTools } from '@arbe/core/dispatch/agent-tools'
import type { AgentTool } from '@arbe/core/dispatch/tool'
import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHttpHouse, signIn, type Visitor, visitor } from './support/http-house.ts'

const house = await openHttpHouse()
const { houseId } = await house.db
  .query<{ houseId: string }>('select id as "houseId" from houses')
  .then(([row]) => row ?? { houseId: '' })
let mia: Visitor
let outside: Visitor
let threadId: string
let ids: readonly string[]

beforeAll(async () => {
  mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
  const bots: { id: string }[] = (await mia.call('GET', '/v1/bots')).body.bots
  const made = await mia.call('POST', '/v1/bots', { name: 'Outside' })
  const { body } = await mia.call('POST', '/v1/tokens', { label: 'x', bot: made.body.id })
  outside = visitor(house, made.body.id, body.token)
  ids = [...bots.map(({ id }) => id), made.body.id]
  threadId = (await mia.call('POST', '/v1/threads', { bots: ids })).body.id
})
afterAll(() => house.close())

/** All that says how often and when bots speak. */
async function settings() {
  const { db } = house
  return {
    houses: await db.query(
      'select limit_per_bot, limit_per_thread, default_trigger_mode from houses',
    ),
    threads: await db.query<{ id: string }>(
      'select id, limit_per_bot, limit_per_thread, banter from threads order by id',
    ),
    seats: await db.query<{ thread_id: string; bot_id: string; muted: boolean }>(
      'select thread_id, bot_id, trigger_mode, muted from thread_bots order by thread_id, bot_id',
    ),
    bots: await db.query<{ id: string }>(
      'select id, trigger_mode, external from agents order by id',
    ),
  }
}

/** Every setting, each by the names that one might try. */
const wishes = () => ({
  limits: { perBot: 50, perThread: 50 },
  limit_per_bot: 50,
  banter: true,
  mode: 'always',
  triggerMode: 'always',
  trigger_mode: 'always',
  modes: ids.map((bot) => ({ bot, mode: 'always' })),
  mutes: ids.map((bot) => ({ bot, muted: false })),
  muted: false,
})

test('[C13] no tool of a bot changes a limit or a mode, ends a mute, or lets bots talk', async () => {
  const [agentId = ''] = ids
  await mia.call('PATCH', `/v1/threads/${threadId}`, { mutes: [{ bot: ids[1], muted: true }] })
  await decideFor(agentId)
  const before = await settings()
  const { signal } = new AbortController()
  const turn = {
    houseId: toHouseId(houseId),
    threadId: toThreadId(threadId),
    agentId: toActorId(agentId),
    decision: 1,
    hops: 0,
    db: house.db,
  }
  let calls = 0
  for (const tool of buildAgentTools(turn, new Map()))
    for (const args of argsFor(tool)) {
      calls += 1
      const run = { args, signal }
      const called =
        tool.effect === 'idempotent'
          ? house.db.transaction((tx) =>
              tool.apply(tx, { ...run, effectKey: `call-${calls}`, appended: () => undefined }),
            )
          : tool.run(run)
      // Most of these calls are nonsense, and may be refused as such.
      await called.catch((error: unknown) => error)
    }
  expect(calls).toBeGreaterThan(20)
  const after = await settings()
  expect(stillSet(before, after)).toEqual(before)
  // Else the calls would have been too clumsy to show anything.
  expect(after).not.toEqual(before)
})

/** Mia's words are what the bot's turn answers: it may do whatever she may. */
async function decideFor(speaker: string): Promise<void> {
  const said = await mia.call('POST', `/v1/threads/${threadId}/entries`, {
    kind: 'chat',
    text: 'Do what you can.',
  })
  const decision = { d: 1, from: 0, to: said.body.seq, speaker, requests: [] }
  await house.db.query(
    `select append_entry($1, $2, director_signal('decision', 'arbe:decision:1', $3::jsonb))`,
    [houseId, threadId, JSON.stringify(decision)],
  )
}

/** Each name or id that there is in place of each argument and of all, with all that one might wish for beside it. */
function argsFor({ spec }: AgentTool): readonly object[] {
  const properties: unknown = 'properties' in spec.parameters ? spec.parameters.properties : {}
  const names = typeof properties === 'object' ? Object.keys(properties ?? {}) : []
  const values = [...ids, threadId, 'ada', 'bo', 'always', '50']
  return values.flatMap((value) => [
    ...names.map((name) => ({ ...wishes(), [name]: value })),
    { ...wishes(), ...Object.fromEntries(names.map((name) => [name, value])) },
  ])
}

type Settings = Awaited<ReturnType<typeof settings>>

/** What a tool may do is to make threads, add bots and mute them; of what was there before, nothing else is changed. */
function stillSet(before: Settings, after: Settings): Settings {
  const known = <Row extends object>(
    rows: readonly Row[],
    was: readonly Row[],
    key: (row: Row) => string,
  ) => rows.filter((row) => was.some((one) => key(one) === key(row)))
  return {
    ...after,
    threads: known(after.threads, before.threads, ({ id }) => id),
    seats: known(after.seats, before.seats, (seat) => seat.thread_id + seat.bot_id).map(
      (seat, at) => (before.seats[at]?.muted === false ? { ...seat, muted: false } : seat),
    ),
    bots: known(after.bots, before.bots, ({ id }) => id),
  }
}

describe('[C13] a bot’s token', () => {
  test.each(['limits', 'banter', 'modes', 'mutes'] as const)(
    'may not set a thread’s %s',
    async (name) => {
      const before = await settings()
      const { status, body } = await outside.call('PATCH', `/v1/threads/${threadId}`, {
        [name]: wishes()[name],
      })
      expect([status, body.code]).toEqual([403, 'forbidden'])
      expect(await settings()).toEqual(before)
    },
  )

  test('changes none of them by any route there is', async () => {
    const before = await settings()
    const { body } = await mia.call('GET', '/v1/openapi.json')
    const paths = Object.entries<Record<string, unknown>>(body.paths)
    const routes = paths.flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => (method === 'get' ? [] : [{ method, path }])),
    )
    for (const { method, path } of routes) {
      const address = path.replace('{threadId}', threadId).replaceAll(/\{\w+\}/g, outside.id)
      for (const [name, value] of Object.entries(wishes()))
        await outside.call(method.toUpperCase(), address, { [name]: value })
    }
    expect(routes.length).toBeGreaterThan(15)
    expect(await settings()).toEqual(before)
  })
})

test.each([
  ['a bot', { perBot: 101, perThread: 500 }],
  ['a thread', { perBot: 100, perThread: 501 }],
  ['a bot, none at all', { perBot: 0, perThread: 8 }],
  ['a thread, none at all', { perBot: 3, perThread: 0 }],
])('[C13] nobody sets more turns than the house allows %s', async (_, limits) => {
  const before = await settings()
  const { status, body } = await mia.call('PATCH', `/v1/threads/${threadId}`, { limits })
  expect([status, body.code]).toEqual([400, 'invalid_body'])
  expect(await settings()).toEqual(before)
})

test('[C13] a person may set as many as the house allows', async () => {
  const limits = { perBot: 100, perThread: 500 }
  const { body } = await mia.call('PATCH', `/v1/threads/${threadId}`, { limits })
  expect([body.limitPerBot, body.limitPerThread]).toEqual([100, 500])
})
