import { z } from '@hono/zod-openapi'
import type { Models } from '@arbe/core/models/model'
import { type ModelInfo, ModelInfoSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, refused, person } from '../house-api.ts'

const ModelsSchema = z.object({ models: z.array(ModelInfoSchema), default: z.string() })

const listModelsRoute = person('member', {
  method: 'get',
  path: '/v1/models',
  summary: 'The models bots may speak by, with their prices',
  responses: { 200: json('Those that are configured', ModelsSchema), default: refused },
})

export function modelRoutes({ models }: HouseParts) {
  return houseApi().openapi(listModelsRoute, (c) =>
    c.json({ models: describe(models), default: models.defaultName }, 200),
  )
}

function describe(models: Models): ModelInfo[] {
  return models.names.flatMap((name) => {
    const model = models.find(name)
    if (model === undefined) return []
    const { demo, price } = model
    return [{ name, demo, inputPrice: price.input, outputPrice: price.output }]
  })
}
