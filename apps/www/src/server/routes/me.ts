import { renameMember } from '@arbe/core/access/members'
import { MePatchSchema, MeSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, jsonBody, refused, person } from '../house-api.ts'
import { readMe } from '../read-me.ts'

const readMeRoute = person('guest', {
  method: 'get',
  path: '/v1/me',
  summary: 'Who one is, and in which house',
  responses: { 200: json('The person of the token', MeSchema), default: refused },
})

const changeMeRoute = person('guest', {
  method: 'patch',
  path: '/v1/me',
  summary: 'Change one’s own name or handle',
  request: { body: jsonBody(MePatchSchema) },
  responses: { 200: json('The person as changed', MeSchema), default: refused },
})

export function meRoutes(parts: HouseParts) {
  return houseApi()
    .openapi(readMeRoute, async (c) => {
      const { houseId, id } = c.get('actor')
      return c.json(await readMe(parts, houseId, id), 200)
    })
    .openapi(changeMeRoute, async (c) => {
      const { houseId, id } = c.get('actor')
      await parts.db.transaction((tx) => renameMember(tx, houseId, { id, ...c.req.valid('json') }))
      return c.json(await readMe(parts, houseId, id), 200)
    })
}
