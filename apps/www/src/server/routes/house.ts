import { renameHouse } from '@arbe/core/access/houses'
import { requireDisplayName } from '@arbe/core/access/handles'
import { HousePatchSchema, MeSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, jsonBody, refused, person } from '../house-api.ts'
import { readMe } from '../read-me.ts'

const changeHouseRoute = person('admin', {
  method: 'patch',
  path: '/v1/house',
  summary: 'Rename the house',
  request: { body: jsonBody(HousePatchSchema) },
  responses: { 200: json('The house as changed', MeSchema), default: refused },
})

export function houseRoutes(parts: HouseParts) {
  return houseApi().openapi(changeHouseRoute, async (c) => {
    const { houseId, id } = c.get('actor')
    const name = requireDisplayName(c.req.valid('json').name)
    await renameHouse(parts.db, houseId, name)
    return c.json(await readMe(parts, houseId, id), 200)
  })
}
