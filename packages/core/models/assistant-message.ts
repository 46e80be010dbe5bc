import { z } from 'zod'
import type { AssistantBlock, AssistantMessage } from './model.ts'

/** Reads a stored assistant message; undefined when it is none. What the shape does not name stays in it. */
export function readAssistantMessage(stored: unknown): AssistantMessage | undefined {
  const parsed = AssistantMessageSchema.safeParse(stored)
  return parsed.success ? parsed.data : undefined
}

export type ToolCallBlock = Extract<AssistantBlock, { readonly type: 'toolCall' }>

export function toolCallsOf(message: AssistantMessage): readonly ToolCallBlock[] {
  return message.content.filter((block) => block.type === 'toolCall')
}

/** What the message says to the room; thinking is not said. */
export function textOf(message: AssistantMessage): string {
  return message.content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n\n')
    .trim()
}

const AssistantMessageSchema = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
      z.looseObject({
        type: z.literal('toolCall'),
        id: z.string(),
        name: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        argumentsError: z.string().exactOptional(),
      }),
    ]),
  ),
  stopReason: z.enum(['stop', 'length', 'toolUse', 'error', 'aborted']),
  timestamp: z.number(),
})
