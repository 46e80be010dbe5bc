import { z } from '@hono/zod-openapi'
import { toThreadId } from '@arbe/sdk'

export const threadParams = z.object({ threadId: z.string().max(80).transform(toThreadId) })
