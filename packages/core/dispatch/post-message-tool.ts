import { toThreadId } from '@arbe/sdk'
import { z } from 'zod'
import { lockThreads } from '../threads/lock-threads.ts'
import { postInTurn } from '../threads/post-in-turn.ts'
import { openForTurn } from '../threads/turn-rights.ts'
import { requireFewer } from './calls-of-turn.ts'
import { toAuthor } from './thread-change-tools.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { toolFailure, toParameters, withArgs } from './tool-args.ts'

const MOST_POSTS = 5

const PostArgs = z.object({
  thread: z.string().describe('The id of the thread, as list_threads gives it.'),
  text: z.string().describe('What to say there. Name with @ whom it asks.'),
})

export function postMessageTool(ctx: ToolContext): AgentTool {
  return {
    owner: 'post-message-tool',
    offered: 'when allowed',
    effect: 'idempotent',
    spec: {
      name: 'post_message',
      description:
        'Say something in another thread that you and those you answer are in. In this one, just answer.',
      parameters: toParameters(PostArgs),
    },
    apply: (tx, run) =>
      withArgs(PostArgs, run.args, async ({ thread, text }) => {
        const threadId = toThreadId(thread)
        if (threadId === ctx.threadId)
          return toolFailure('invalid_arguments', 'this is the thread you answer in: just answer')
        await lockThreads(tx, ctx.houseId, [ctx.threadId, threadId])
        const { roster } = await openForTurn(tx, ctx, threadId)
        await requireFewer(tx, ctx, { tool: 'post_message', most: MOST_POSTS })
        const seq = await postInTurn(tx, toAuthor(ctx, run), { threadId, roster, text })
        return { text: `Posted as message ${seq}.`, isError: false }
      }),
  }
}
