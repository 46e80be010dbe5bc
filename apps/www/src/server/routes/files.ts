import { z } from '@hono/zod-openapi'
import { Refused } from '@arbe/core/access/refused'
import { isVolumePath } from '@arbe/core/volumes/volume-path'
import { listFiles, readFile } from '@arbe/core/volumes/volumes'
import { FileSchema } from '@arbe/sdk/api'
import { type HouseParts, houseApi, json, refused, person } from '../house-api.ts'

const FILES_MAX = 5_000

const ContentSchema = z.object({ path: z.string(), version: z.number(), content: z.string() })

const listFilesRoute = person('member', {
  method: 'get',
  path: '/v1/files',
  summary: 'The files of the house’s volume',
  responses: {
    200: json('By path', z.object({ files: z.array(FileSchema) })),
    default: refused,
  },
})

const readFileRoute = person('member', {
  method: 'get',
  path: '/v1/files/content',
  summary: 'The newest version of a file',
  request: { query: z.object({ path: z.string().min(1).max(1_024) }) },
  responses: { 200: json('Its text', ContentSchema), default: refused },
})

export function fileRoutes({ db }: HouseParts) {
  return houseApi()
    .openapi(listFilesRoute, async (c) => {
      const { houseId } = c.get('actor')
      const found = await listFiles(db, houseId, { folder: undefined, limit: FILES_MAX })
      const files = found.map(({ path, version, bytes, authorId, updatedAt }) => ({
        path,
        version,
        size: bytes,
        author: authorId,
        at: updatedAt.toISOString(),
      }))
      return c.json({ files }, 200)
    })
    .openapi(readFileRoute, async (c) => {
      const { path } = c.req.valid('query')
      const file = isVolumePath(path) ? await readFile(db, c.get('actor').houseId, path) : undefined
      if (file === undefined)
        throw new Refused('not_found', `The house has no file "${path.slice(0, 200)}".`)
      return c.json({ path, version: file.version, content: file.content }, 200)
    })
}
