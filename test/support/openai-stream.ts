import type { ReplyStream } from './anthropic-stream.ts'

/** One answer in the stream of OpenAI's chat completions. */
export const streamOpenai: ReplyStream = (reply, model) => {
  const { usage = { input: 10, output: 5 }, toolCalls = [] } = reply
  const chunk = (delta: object, finish: string | null = null): string =>
    event({ ...common, model, choices: [{ index: 0, delta, finish_reason: finish }] })
  const stop = reply.stop === 'length' ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop'
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reply.thinking === undefined ? [] : [chunk({ reasoning_content: reply.thinking })]),
    ...words(reply.text).map((content) => chunk({ content })),
    ...toolCalls.map((call, index) => chunk({ tool_calls: [toolCall(call, index)] })),
    chunk({}, stop),
    event({
      ...common,
      model,
      choices: [],
      usage: {
        prompt_tokens: usage.input + (usage.cacheRead ?? 0),
        completion_tokens: usage.output,
        total_tokens: usage.input + (usage.cacheRead ?? 0) + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      },
    }),
    'data: [DONE]\n\n',
  ]
}

const common = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1 }

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function toolCall(
  call: { readonly id?: string; readonly name: string; readonly args: object | string },
  index: number,
): object {
  const id = call.id ?? `call_${index}`
  return { index, id, type: 'function', function: { name: call.name, arguments: json(call.args) } }
}

/** The answer in the pieces it is streamed in. */
export function words(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(/(?<= )/)
}

export function json(args: object | string): string {
  return typeof args === 'string' ? args : JSON.stringify(args)
}
