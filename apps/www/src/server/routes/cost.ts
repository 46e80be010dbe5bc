import { z } from '@hono/zod-openapi'
import { sumCost } from '@arbe/core/models/cost'
import { openThread } from '@arbe/core/threads/open-thread'
import { type Cost, CostBySchema, type CostRow, CostSchema } from '@arbe/sdk/api'
import type { HouseId, ThreadId } from '@arbe/sdk'
import { type HouseParts, houseApi, json, person, refused } from '../house-api.ts'
import { threadParams } from '../thread-params.ts'

const period = z.object({
  by: CostBySchema.default('day'),
  /** The last 30 days when left out. */
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
})

const costReply = json('What calls that began in that time have cost', CostSchema)

const houseCostRoute = person('admin', {
  method: 'get',
  path: '/v1/cost',
  summary: 'What the house’s model calls have cost, by day, thread, bot or model',
  request: { query: period },
  responses: { 200: costReply, default: refused },
})

const threadCostRoute = person('guest', {
  method: 'get',
  path: '/v1/threads/{threadId}/cost',
  summary: 'What one thread’s model calls have cost',
  request: { params: threadParams, query: period },
  responses: { 200: costReply, default: refused },
})

export function costRoutes({ db }: HouseParts) {
  return houseApi()
    .openapi(houseCostRoute, async (c) => {
      const { houseId } = c.get('actor')
      return c.json(await cost({ houseId, threadId: undefined }, c.req.valid('query')), 200)
    })
    .openapi(threadCostRoute, async (c) => {
      const actor = c.get('actor')
      const { threadId } = c.req.valid('param')
      await openThread(db, actor, { threadId })
      return c.json(await cost({ houseId: actor.houseId, threadId }, c.req.valid('query')), 200)
    })

  async function cost(
    of: { readonly houseId: HouseId; readonly threadId: ThreadId | undefined },
    { by, ...asked }: z.output<typeof period>,
  ): Promise<Cost> {
    const until = asked.until ?? new Date().toISOString()
    const since = asked.since ?? new Date(Date.parse(until) - THIRTY_DAYS_MS).toISOString()
    const rows = await sumCost(db, { ...of, by, since, until })
    return { by, since, until, rows: [...rows], total: totalOf(rows) }
  }
}

const THIRTY_DAYS_MS = 30 * 86_400_000

function totalOf(rows: readonly CostRow[]): Cost['total'] {
  const sum = (of: (row: CostRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0)
  return {
    calls: sum(({ calls }) => calls),
    unsettled: sum(({ unsettled }) => unsettled),
    usage: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cacheRead: sum(({ usage }) => usage.cacheRead),
      cacheWrite: sum(({ usage }) => usage.cacheWrite),
    },
    cost: sum((row) => row.cost),
    choosing: sum(({ choosing }) => choosing),
  }
}
