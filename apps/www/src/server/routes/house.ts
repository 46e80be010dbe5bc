import { editHouse } from '@arbe/core/access/houses'
import { requireDisplayName } from '@arbe/core/access/handles'
import { HousePatchSchema, MeSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, jsonBody, refused, person } from '../house-api.ts'
import { readMe } from '../read-me.ts'
import { requireModel } from '../require-model.ts'

const changeHouseRoute = person('admin', {
  method: 'patch',
  path: '/v1/house',
  summary: 'Change the name of the house, or the model that chooses speakers',
  request: { body: jsonBody(HousePatchSchema) },
  responses: { 200: json('The house as changed', MeSchema), default: refused },
})

export function houseRoutes(parts: HouseParts) {
  return houseApi().openapi(changeHouseRoute, async (c) => {
    const { houseId, id } = c.get('actor')
    const { name, directorModel } = c.req.valid('json')
    if (directorModel !== undefined) requireModel(parts.models, directorModel)
    await editHouse(parts.db, houseId, {
      ...(name !== undefined && { name: requireDisplayName(name) }),
      ...(directorModel !== undefined && { directorModel }),
    })
    return c.json(await readMe(parts, houseId, id), 200)
  })
}
