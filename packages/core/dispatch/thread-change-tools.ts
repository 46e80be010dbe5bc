import { type ThreadId, toThreadId } from '@arbe/sdk'
import { z } from 'zod'
import { requireTitle } from '../access/handles.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import { changeThread, type ThreadPatch } from '../threads/change-thread.ts'
import { createThread } from '../threads/create-thread.ts'
import { MOST_HOPS } from '../threads/hops.ts'
import { lockThreads } from '../threads/lock-threads.ts'
import { idsOfNamed } from '../threads/named-members.ts'
import { openThread } from '../threads/open-thread.ts'
import { postInTurn } from '../threads/post-in-turn.ts'
import type { TurnAuthor } from '../threads/turn-author.ts'
import { openForTurn, requireMembers } from '../threads/turn-rights.ts'
import { requireFewer } from './calls-of-turn.ts'
import type { AgentTool, EffectRun, ToolContext } from './tool.ts'
import { toParameters, withArgs } from './tool-args.ts'

/** What changes threads. Limits, modes and banter stay with people, so that no bot can lift what bounds it. */
export function threadChangeTools(ctx: ToolContext): readonly AgentTool[] {
  return [createThreadTool(ctx), renameThreadTool(ctx), addBotTool(ctx), muteBotTool(ctx)]
}

const FIELDS = {
  owner: 'thread-change-tools',
  offered: 'when allowed',
  effect: 'idempotent',
} as const

/** What one turn may make. Its chain may be four threads long, and at each of them as wide as this. */
const MOST_THREADS = 3

const CreateArgs = z.object({
  title: z.string().max(200),
  people: z.array(z.string()).max(50).default([]).describe('Handles of people to add.'),
  bots: z.array(z.string()).max(20).default([]).describe('Handles of bots to add.'),
  text: z.string().optional().describe('Your first message there. Name with @ whom it asks.'),
})

function createThreadTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'create_thread',
      description:
        'Make a new thread. You and those who asked you are in it. Bots you name in the text answer there, not here.',
      parameters: toParameters(CreateArgs),
    },
    apply: (tx, run) =>
      withArgs(CreateArgs, run.args, async (draft) => {
        const title = requireTitle(draft.title)
        if (ctx.hops >= MOST_HOPS)
          throw new Refused('forbidden', 'Bots have made threads from threads too often here.')
        const askers = await requireMembers(tx, ctx)
        await requireFewer(tx, ctx, { tool: 'create_thread', most: MOST_THREADS })
        const author = toAuthor(ctx, run)
        const people = [...askers, ...(await idsOfNamed(tx, ctx.houseId, draft.people))]
        const bots = await idsOfNamed(tx, ctx.houseId, draft.bots)
        const threadId = await createThread(tx, author, { title, people, bots })
        if (draft.text !== undefined) {
          const { roster } = await openThread(tx, author, { threadId })
          await postInTurn(tx, author, { threadId, roster, text: draft.text })
        }
        return { text: `Thread made: ${threadId}`, isError: false }
      }),
  }
}

const where = z.string().optional().describe('The id of the thread; this one without it.')

const RenameArgs = z.object({ title: z.string().max(200), thread: where })

function renameThreadTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'rename_thread',
      description: 'Give a thread another title.',
      parameters: toParameters(RenameArgs),
    },
    apply: (tx, run) =>
      withArgs(RenameArgs, run.args, async ({ title, thread }) => {
        const patch = { title: requireTitle(title) }
        await change(tx, { ctx, run, thread }, patch)
        return { text: 'Thread renamed.', isError: false }
      }),
  }
}

const BotArgs = z.object({ bot: z.string().describe('The handle of the bot.'), thread: where })

function addBotTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'add_bot',
      description: 'Add a bot of the house to a thread. list_bots tells which there are.',
      parameters: toParameters(BotArgs),
    },
    apply: (tx, run) =>
      withArgs(BotArgs, run.args, async ({ bot, thread }) => {
        const addBots = await idsOfNamed(tx, ctx.houseId, [bot])
        await change(tx, { ctx, run, thread }, { addBots })
        return { text: 'Bot added.', isError: false }
      }),
  }
}

function muteBotTool(ctx: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'mute_bot',
      description: 'Mute a bot of a thread, so that it does not speak there. People can unmute it.',
      parameters: toParameters(BotArgs),
    },
    apply: (tx, run) =>
      withArgs(BotArgs, run.args, async ({ bot, thread }) => {
        const ids = await idsOfNamed(tx, ctx.houseId, [bot])
        const mutes = ids.map((id) => ({ bot: id, muted: true }))
        await change(tx, { ctx, run, thread }, { mutes })
        return { text: 'Bot muted.', isError: false }
      }),
  }
}

interface ChangeOrder {
  readonly ctx: ToolContext
  readonly run: EffectRun
  readonly thread: string | undefined
}

async function change(
  tx: Executor,
  { ctx, run, thread }: ChangeOrder,
  patch: ThreadPatch,
): Promise<void> {
  const threadId: ThreadId = thread === undefined ? ctx.threadId : toThreadId(thread)
  await requireMembers(tx, ctx)
  await lockThreads(tx, ctx.houseId, [ctx.threadId, threadId])
  await openForTurn(tx, ctx, threadId)
  await changeThread(tx, toAuthor(ctx, run), { threadId, patch })
}

export function toAuthor(
  { houseId, agentId, threadId, decision, hops }: ToolContext,
  { effectKey, appended }: EffectRun,
): TurnAuthor {
  return { kind: 'bot', houseId, id: agentId, threadId, decision, hops, effectKey, appended }
}
