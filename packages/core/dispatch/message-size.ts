import type { ModelMessage } from '../models/model.ts'

/**
 * A good enough measure for a budget, without a tokenizer for every model. Bytes rather than characters: a Chinese
 * character is about a token, an English one a quarter of one.
 */
export const BYTES_PER_TOKEN = 4

/** Bytes a message takes in a request, near enough. */
export function sizeOf(message: ModelMessage): number {
  const content = message.content
  if (typeof content === 'string') return Buffer.byteLength(content) + MESSAGE_OVERHEAD
  return content.reduce((sum, block) => sum + blockSize(block), MESSAGE_OVERHEAD)
}

const MESSAGE_OVERHEAD = 16

type Block = Exclude<ModelMessage['content'], string>[number]

function blockSize(block: Block): number {
  switch (block.type) {
    case 'text':
      return Buffer.byteLength(block.text)
    case 'thinking':
      return Buffer.byteLength(block.thinking)
    case 'toolCall':
      return Buffer.byteLength(block.name + JSON.stringify(block.arguments))
  }
}
