import { botTools } from './bot-tools.ts'
import { postMessageTool } from './post-message-tool.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { threadChangeTools } from './thread-change-tools.ts'
import { threadTools } from './thread-tools.ts'
import { volumeTools } from './volume-tools.ts'

/** Every tool a turn can have is registered here, by the module that owns it. */
export function buildAgentTools(ctx: ToolContext): readonly AgentTool[] {
  return [
    ...volumeTools(ctx),
    ...threadTools(ctx),
    ...threadChangeTools(ctx),
    ...botTools(ctx),
    postMessageTool(ctx),
  ]
}

export interface ToolRules {
  /** Undefined allows every tool that is always offered. */
  readonly allow: readonly string[] | undefined
  readonly deny: readonly string[]
}

/** Deny wins over allow. */
export function filterAgentTools(
  tools: readonly AgentTool[],
  { allow, deny }: ToolRules,
): readonly AgentTool[] {
  return tools.filter(
    ({ spec, offered }) =>
      (allow?.includes(spec.name) ?? offered === 'always') && !deny.includes(spec.name),
  )
}
