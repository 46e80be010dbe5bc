import { z } from 'zod'
import { listBots } from '../bots/bots.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { toParameters, withArgs } from './tool-args.ts'

export function botTools(ctx: ToolContext): readonly AgentTool[] {
  return [listBotsTool(ctx), passTool]
}

const FIELDS = { owner: 'bot-tools', offered: 'always', effect: 'none' } as const

const MOST_LISTED = 100
const ListArgs = z.object({})

function listBotsTool({ db, houseId, agentId }: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'list_bots',
      description: `List the bots of this house and what they are for, at most ${MOST_LISTED}.`,
      parameters: toParameters(ListArgs),
    },
    run: ({ args }) =>
      withArgs(ListArgs, args, async () => {
        const bots = await listBots(db, houseId)
        const lines = bots
          .slice(0, MOST_LISTED)
          .map(({ id, name, handle, description }) =>
            JSON.stringify({ handle, name, description, ...(id === agentId && { you: true }) }),
          )
        const more = bots.length > MOST_LISTED ? ['There are more.'] : []
        return { text: [...lines, ...more].join('\n'), isError: false }
      }),
  }
}

const PassArgs = z.object({
  reason: z.string().max(500).describe('Why, in a few words. People can read it.'),
})

const passTool: AgentTool = {
  ...FIELDS,
  spec: {
    name: 'pass',
    description:
      'Say nothing this time and let somebody else speak. Use it instead of writing that you have nothing to say.',
    parameters: toParameters(PassArgs),
  },
  endsTurn: 'passed',
  run: ({ args }) =>
    withArgs(PassArgs, args, async ({ reason }) => ({ text: reason, isError: false })),
}
