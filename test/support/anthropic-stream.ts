import { json, words } from './openai-stream.ts'
import type { ScriptedReply } from './scripted-provider.ts'

export type ReplyStream = (reply: ScriptedReply, model: string) => readonly string[]

/** One answer in the stream of Anthropic's messages. */
export const streamAnthropic: ReplyStream = (reply, model) => {
  const { usage = { input: 10, output: 5 }, toolCalls = [] } = reply
  const stop =
    reply.stop === 'length' ? 'max_tokens' : toolCalls.length > 0 ? 'tool_use' : 'end_turn'
  const blocks = [
    ...(reply.thinking === undefined ? [] : [thinkingBlock(reply.thinking)]),
    ...(reply.text === undefined ? [] : [textBlock(reply.text)]),
    ...toolCalls.map(toolBlock),
  ]
  return [
    event('message_start', {
      message: {
        id: 'msg_scripted',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input,
          output_tokens: 0,
          cache_read_input_tokens: usage.cacheRead ?? 0,
          cache_creation_input_tokens: 0,
        },
      },
    }),
    ...blocks.flatMap((block, index) => [
      event('content_block_start', { index, content_block: block.start }),
      ...block.deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event('message_stop', {}),
  ]
}

interface Block {
  readonly start: object
  readonly deltas: readonly object[]
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

function textBlock(text: string): Block {
  const deltas = words(text).map((word) => ({ type: 'text_delta', text: word }))
  return { start: { type: 'text', text: '' }, deltas }
}

function thinkingBlock(thinking: string): Block {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ],
  }
}

function toolBlock(
  call: { readonly id?: string; readonly name: string; readonly args: object | string },
  index: number,
): Block {
  return {
    start: { type: 'tool_use', id: call.id ?? `toolu_${index}`, name: call.name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: json(call.args) }],
  }
}
