import type { ModelMessage } from '../models/model.ts'
import { boundText } from './bound-text.ts'
import { sizeOf } from './message-size.ts'

/**
 * Shortens the oldest tool results until the request fits. It then makes room for a while at once, so that the
 * provider's cache of the beginning breaks seldom.
 */
export function fitResults(
  messages: readonly ModelMessage[],
  maxBytes: number,
): readonly ModelMessage[] {
  let size = messages.reduce((sum, message) => sum + sizeOf(message), 0)
  if (size <= maxBytes) return messages
  return messages.map((message) => {
    if (size <= maxBytes * ROOM_AFTER || message.role !== 'toolResult') return message
    const short = shorten(message)
    size -= sizeOf(message) - sizeOf(short)
    return short
  })
}

const ROOM_AFTER = 0.75
const SHORT_RESULT_BYTES = 1_024

function shorten(message: Extract<ModelMessage, { readonly role: 'toolResult' }>): ModelMessage {
  const content = message.content.map((block) => ({
    ...block,
    text: boundText(block.text, SHORT_RESULT_BYTES),
  }))
  return { ...message, content }
}
