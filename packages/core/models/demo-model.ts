import { NO_USAGE } from '@arbe/sdk'
import { demoDecision } from './demo-decision.ts'
import { type DemoReply, demoReply } from './demo-reply.ts'
import type { AssistantBlock, AssistantMessage, Model, ModelRequest } from './model.ts'

export const DEMO_MODEL = 'demo/demo'

/** Ends early, without an error, when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/**
 * A model without a provider: the same request always gets the same reply, plain requests call the real tools, and
 * nothing leaves the machine. It makes a house without a key worth looking at, and it says what it is.
 */
export function createDemoModel(sleep: Sleep): Model {
  return {
    id: DEMO_MODEL,
    demo: true,
    price: NO_USAGE,
    contextWindow: 32_768,
    async call(request, { signal, onEvent, onText }) {
      const reply = request.forceTool === undefined ? demoReply(request) : demoDecision(request)
      const usage = { ...NO_USAGE, input: tokensIn(JSON.stringify(request)), output: 0 }
      let said = ''
      for (const word of reply.text.split(/(?<=\s)/)) {
        await sleep(WORD_MS, signal)
        if (signal.aborted) return { status: 'aborted', partial: said, usage, cost: 0 }
        onEvent()
        onText?.(word)
        said += word
      }
      const output = tokensIn(JSON.stringify(reply))
      return {
        status: 'ok',
        message: toMessage(request, reply),
        usage: { ...usage, output },
        cost: 0,
      }
    },
  }
}

// About the pace of a fast provider.
const WORD_MS = 25

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

function toMessage(request: ModelRequest, reply: DemoReply): AssistantMessage {
  const text: AssistantBlock[] = reply.text === '' ? [] : [{ type: 'text', text: reply.text }]
  const calls = reply.calls.map((call, index) => ({
    type: 'toolCall' as const,
    id: `demo_${request.messages.length}_${index}`,
    name: call.name,
    arguments: call.args,
  }))
  return {
    role: 'assistant',
    content: [...text, ...calls],
    stopReason: calls.length === 0 ? 'stop' : 'toolUse',
    timestamp: request.messages.at(-1)?.timestamp ?? 0,
  }
}
