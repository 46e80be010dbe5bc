import { z } from '@hono/zod-openapi'
import { writeBackup } from '@arbe/core/backup/write-backup'
import { type HouseParts, houseApi, person, refused } from '../house-api.ts'

const backupRoute = person('owner', {
  method: 'get',
  path: '/v1/backup',
  summary: 'The whole house as one compressed file, as it is now',
  description:
    'Everything in the database: messages of all threads, hashes of tokens, what models were asked. The stream breaks off where the ' +
    'backup fails; `arbe restore` refuses such a file.',
  responses: {
    200: {
      description: 'The backup',
      content: { 'application/gzip': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    default: refused,
  },
})

const encoder = new TextEncoder()

export function backupRoutes({ db }: HouseParts) {
  return houseApi().openapi(backupRoute, async (c) => {
    const pieces = writeBackup(db, c.get('actor').houseId)
    // What fails before anything was sent is an answer like any other.
    const first = await pieces.next()
    const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(encoder.encode(first.value ?? '')),
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await pieces.return()),
    })
    return new Response(bytes.pipeThrough(new CompressionStream('gzip')), {
      headers: { 'content-type': 'application/gzip', 'cache-control': 'no-store' },
    })
  })
}
