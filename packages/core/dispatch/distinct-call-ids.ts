import type { AssistantMessage, ModelMessage } from '../models/model.ts'

/**
 * Gives calls whose id is empty or was used before another one, and their results with them: some servers number the
 * calls of every reply from zero, and a provider refuses a request with two of a name. Every result stands behind its
 * call's message, in the order of the calls.
 */
export function distinctCallIds(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const used = new Set<string>()
  let renamed: string[] = []
  return messages.map((message) => {
    if (message.role === 'toolResult') return { ...message, toolCallId: renamed.shift() ?? '' }
    if (message.role === 'user') return message
    const named = nameCalls(message, used)
    renamed = named.content.filter((block) => block.type === 'toolCall').map((call) => call.id)
    return named
  })
}

function nameCalls(message: AssistantMessage, used: Set<string>): AssistantMessage {
  const content = message.content.map((block) => {
    if (block.type !== 'toolCall') return block
    const id = block.id === '' || used.has(block.id) ? freeId(used) : block.id
    used.add(id)
    return id === block.id ? block : { ...block, id }
  })
  return { ...message, content }
}

function freeId(used: ReadonlySet<string>): string {
  let number = used.size
  while (used.has(`call_${number}`)) number += 1
  return `call_${number}`
}
