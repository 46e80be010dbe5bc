import { textOf, type ToolCallBlock } from '../models/assistant-message.ts'
import type { AssistantMessage, ModelMessage } from '../models/model.ts'

export function askLastWord(bound: string, timestamp: number): ModelMessage {
  const content = `This turn has reached its bound of ${bound}. No tool can be called any more. Answer now, in words, with what you have; say what is left undone.`
  return { role: 'user', content, timestamp }
}

export function withoutCalls(message: AssistantMessage, bound: string): AssistantMessage {
  const said = message.content.filter((block) => block.type !== 'toolCall')
  const stopped: AssistantMessage = { ...message, content: said, stopReason: 'stop' }
  if (textOf(stopped) !== '') return stopped
  const text = `Stopped after ${bound}: I still wanted to go on and have no answer yet.`
  return { ...stopped, content: [...said, { type: 'text', text }] }
}

export function toResultMessage(
  call: Pick<ToolCallBlock, 'id' | 'name'>,
  result: { readonly text: string; readonly isError: boolean },
  timestamp: number,
): ModelMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    // A provider refuses an empty block.
    content: [{ type: 'text', text: result.text === '' ? '(no output)' : result.text }],
    isError: result.isError,
    timestamp,
  }
}
