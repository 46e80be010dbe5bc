import { type Entry, type Offset, toThreadId } from '@arbe/sdk'
import { z } from 'zod'
import type { Roster } from '../threads/open-thread.ts'
import { listSharedThreads, readTexts } from '../threads/shared-threads.ts'
import { openForTurn, principalsOf } from '../threads/turn-rights.ts'
import { boundText } from './bound-text.ts'
import { quoteChat } from './quote-entry.ts'
import { type SettledText, settledTexts } from './settled-texts.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { toParameters, withArgs } from './tool-args.ts'

/** What a bot may read of threads: those that it and everybody who caused its turn are in. */
export function threadTools(ctx: ToolContext): readonly AgentTool[] {
  return [listThreadsTool(ctx), readThreadTool(ctx)]
}

const FIELDS = { owner: 'thread-tools', offered: 'always', effect: 'none' } as const

const MOST_LISTED = 50
const ListArgs = z.object({})

function listThreadsTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'list_threads',
      description: `List the threads that you and those you answer are in, the last spoken in first, at most ${MOST_LISTED}.`,
      parameters: toParameters(ListArgs),
    },
    run: ({ args }) =>
      withArgs(ListArgs, args, async () => {
        const all = await principalsOf(ctx.db, ctx)
        const limit = MOST_LISTED + 1
        const threads = await listSharedThreads(ctx.db, ctx.houseId, { all, limit })
        const lines = threads.slice(0, MOST_LISTED).map(({ id, title, lastAt }) =>
          JSON.stringify({
            thread: id,
            title,
            last: lastAt,
            ...(id === ctx.threadId && { here: true }),
          }),
        )
        const more = threads.length > MOST_LISTED ? ['There are more.'] : []
        return { text: [...lines, ...more].join('\n'), isError: false }
      }),
  }
}

const MOST_READ = 30
const MOST_BYTES = 4 * 1024

const ReadArgs = z.object({
  thread: z.string().describe('The id of the thread, as list_threads gives it.'),
  before: z
    .int()
    .positive()
    .optional()
    .describe('The `n` of a message: what stands before it is read. Without it, the end.'),
})

function readThreadTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'read_thread',
      description: `Read the last ${MOST_READ} messages of another thread, oldest first.`,
      parameters: toParameters(ReadArgs),
    },
    run: ({ args }) =>
      withArgs(ReadArgs, args, async ({ thread, before = Number.MAX_SAFE_INTEGER }) => {
        const { threadId, roster } = await openForTurn(ctx.db, ctx, toThreadId(thread))
        const place = { houseId: ctx.houseId, threadId }
        const entries = await readTexts(ctx.db, place, { before, limit: MOST_READ })
        const texts = quoted(entries, roster)
        const isFirst = entries.filter(({ kind }) => kind === 'chat').length < MOST_READ
        const lines = [...(isFirst ? [] : ['There is more before this.']), ...texts]
        const text = lines.length === 0 ? 'Nothing was said there.' : lines.join('\n')
        return { text, isError: false }
      }),
  }
}

function quoted(entries: readonly Entry[], { people, bots }: Roster): readonly string[] {
  const names = new Map([...people, ...bots].map(({ id, name }) => [id, name]))
  const texts: ReadonlyMap<Offset, SettledText> = settledTexts(entries)
  return entries.flatMap((entry) => {
    const now = texts.get(entry.seq)
    if (entry.kind !== 'chat' || now?.kind !== 'kept') return []
    const text = boundText(now.text, MOST_BYTES)
    const name = names.get(entry.authorId) ?? entry.authorId
    return [quoteChat({ entry, name, text, edited: now.edited })]
  })
}
