import type { ActorId } from '@arbe/sdk'
import { listBots } from '../bots/bots.ts'
import { buildAgentTools, filterAgentTools } from './agent-tools.ts'
import type { ToolContext } from './tool.ts'

// For their names alone: none of them runs.
const NO_RUNTIMES = new Map()

/** What each bot of a house may use in a thread: a director's model chooses by it. */
export async function botToolNames(
  place: Omit<ToolContext, 'agentId' | 'hops'>,
): Promise<(bot: ActorId) => readonly string[]> {
  const bots = await listBots(place.db, place.houseId)
  const settings = new Map<string, (typeof bots)[number]>(bots.map((bot) => [bot.id, bot]))
  return (agentId) => {
    const { toolsAllow = null, toolsDeny = [] } = settings.get(agentId) ?? {}
    const rules = { allow: toolsAllow ?? undefined, deny: toolsDeny }
    const tools = buildAgentTools({ ...place, agentId, hops: 0 }, NO_RUNTIMES)
    return filterAgentTools(tools, rules).map(({ spec }) => spec.name)
  }
}
