import type { AssistantMessage, ModelMessage } from '../models/model.ts'

/**
 * The same history in weaker forms, for a provider that refuses to take back its own thinking: first without the
 * thinking, then with the finished calls told as text.
 */
export function weakerReplays(
  messages: readonly ModelMessage[],
): readonly (readonly ModelMessage[])[] {
  if (!messages.some(hasThinking)) return []
  const silent = messages.map(withoutThinking).filter(hasContent)
  return [silent, asText(silent)]
}

function hasThinking(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.content.some((block) => block.type === 'thinking')
}

function withoutThinking(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant') return message
  return { ...message, content: message.content.filter((block) => block.type !== 'thinking') }
}

function hasContent(message: ModelMessage): boolean {
  return message.role !== 'assistant' || message.content.length > 0
}

/** Consecutive user messages join, so that roles still alternate. */
function asText(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const told: ModelMessage[] = []
  for (const message of messages.flatMap(tellCalls)) {
    const last = told.at(-1)
    if (last?.role === 'user' && message.role === 'user') {
      told[told.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
    } else {
      told.push(message)
    }
  }
  return told
}

function tellCalls(message: ModelMessage): readonly ModelMessage[] {
  if (message.role === 'user') return [message]
  if (message.role === 'assistant') return tellAssistant(message)
  const text = message.content.map((block) => block.text).join('\n')
  const content = `Your call of ${message.toolName} answered:\n${quote(text)}`
  return [{ role: 'user', content, timestamp: message.timestamp }]
}

function tellAssistant(message: AssistantMessage): readonly ModelMessage[] {
  const said = message.content.filter((block) => block.type === 'text')
  return said.length === 0 ? [] : [{ ...message, content: said, stopReason: 'stop' }]
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, '| ')
}
