import { botTools } from './bot-tools.ts'
import { postMessageTool } from './post-message-tool.ts'
import type { SandboxRuntimes } from './sandbox.ts'
import { sandboxTools } from './sandbox-tools.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { threadChangeTools } from './thread-change-tools.ts'
import { threadTools } from './thread-tools.ts'
import { volumeTools } from './volume-tools.ts'

/** Every tool a turn can have is registered here, by the module that owns it. */
export function buildAgentTools(ctx: ToolContext, runtimes: SandboxRuntimes): readonly AgentTool[] {
  return [
    ...volumeTools(ctx),
    ...sandboxTools(ctx, runtimes),
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
