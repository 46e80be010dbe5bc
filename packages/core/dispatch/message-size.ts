import type { ModelMessage } from '../models/model.ts'

/** A good enough measure for a budget, without a tokenizer for every model. */
export const CHARS_PER_TOKEN = 4

/** Characters a message takes in a request, near enough. */
export function sizeOf(message: ModelMessage): number {
  const content = message.content
  if (typeof content === 'string') return content.length + MESSAGE_OVERHEAD
  return content.reduce((sum, block) => sum + blockSize(block), MESSAGE_OVERHEAD)
}

const MESSAGE_OVERHEAD = 16

type Block = Exclude<ModelMessage['content'], string>[number]

function blockSize(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'thinking':
      return block.thinking.length
    case 'toolCall':
      return block.name.length + JSON.stringify(block.arguments).length
  }
}
