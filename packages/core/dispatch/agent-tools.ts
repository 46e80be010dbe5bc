import { botTools } from './bot-tools.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { volumeTools } from './volume-tools.ts'

/** Every tool a turn can have is registered here, by the module that owns it. */
export function buildAgentTools(ctx: ToolContext): readonly AgentTool[] {
  return [...volumeTools(ctx), ...botTools()]
}

export interface ToolRules {
  /** Undefined allows every tool. */
  readonly allow: readonly string[] | undefined
  readonly deny: readonly string[]
}

/** Deny wins over allow. */
export function filterAgentTools(
  tools: readonly AgentTool[],
  { allow, deny }: ToolRules,
): readonly AgentTool[] {
  return tools.filter(
    ({ spec }) => (allow?.includes(spec.name) ?? true) && !deny.includes(spec.name),
  )
}
