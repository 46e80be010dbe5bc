import { importMessages } from '@arbe/core/threads/import-messages'
import { toOffset } from '@arbe/sdk'
import { ImportedSchema, ImportInputSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, jsonBody, person, refused } from '../house-api.ts'
import { threadParams } from '../thread-params.ts'

const importRoute = person('admin', {
  method: 'post',
  path: '/v1/threads/{threadId}/import',
  summary: 'Add what was said elsewhere before: it wakes nobody, and what is there already stays',
  request: { params: threadParams, body: jsonBody(ImportInputSchema) },
  responses: { 200: json('What became of each message', ImportedSchema), default: refused },
})

export function threadImportRoutes({ db, bus }: HouseParts) {
  return houseApi().openapi(importRoute, async (c) => {
    const { threadId } = c.req.valid('param')
    const { messages } = c.req.valid('json')
    const imported = await importMessages(db, c.get('actor'), { threadId, messages })
    const last = imported.results.findLast(({ status }) => status === 'new')
    if (last !== undefined) bus.appended({ threadId, seq: toOffset(last.seq), wakes: false })
    return c.json(imported, 200)
  })
}
