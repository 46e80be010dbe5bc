import { z } from 'zod'
import type { AgentTool } from './tool.ts'
import { toParameters, withArgs } from './tool-args.ts'

const PassArgs = z.object({
  reason: z.string().max(500).describe('Why, in a few words. People can read it.'),
})

export function botTools(): readonly AgentTool[] {
  return [passTool]
}

const passTool: AgentTool = {
  owner: 'bot-tools',
  offered: 'always',
  spec: {
    name: 'pass',
    description:
      'Say nothing this time and let somebody else speak. Use it instead of writing that you have nothing to say.',
    parameters: toParameters(PassArgs),
  },
  effect: 'none',
  endsTurn: 'passed',
  run: ({ args }) =>
    withArgs(PassArgs, args, async ({ reason }) => ({ text: reason, isError: false })),
}
