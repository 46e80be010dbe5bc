import { NO_USAGE } from '@arbe/sdk'
import type {
  AssistantBlock,
  AssistantMessage,
  Model,
  ModelReply,
  ModelRequest,
} from '../../packages/core/models/model.ts'

type Call = Model['call']
type Step = ModelReply | Call

export interface FakeModel extends Model {
  readonly requests: readonly ModelRequest[]
}

/** Answers with each step in turn; the last one stays. */
export function fakeModel(...steps: readonly Step[]): FakeModel {
  const requests: ModelRequest[] = []
  return {
    id: 'fake/model',
    demo: false,
    price: NO_USAGE,
    contextWindow: 100_000,
    requests,
    async call(request, options) {
      const step = steps[Math.min(requests.length, steps.length - 1)]
      requests.push(request)
      if (step === undefined) throw new Error('a fake model without steps was called')
      return typeof step === 'function' ? step(request, options) : step
    },
  }
}

export function says(text: string, over: Partial<AssistantMessage> = {}): ModelReply {
  return replies([{ type: 'text', text }], over)
}

export function calls(
  ...made: readonly (readonly [name: string, args?: object, id?: string])[]
): ModelReply {
  const content = made.map(([name, args = {}, id = `id_${name}`]) => ({
    type: 'toolCall' as const,
    id,
    name,
    arguments: { ...args },
  }))
  return replies(content, { stopReason: 'toolUse' })
}

export function replies(
  content: readonly AssistantBlock[],
  over: Partial<AssistantMessage> = {},
): ModelReply {
  const message = { role: 'assistant', content, stopReason: 'stop', timestamp: 5, ...over } as const
  return { status: 'ok', message, usage: USAGE, cost: 0.25 }
}

export function fails(
  error: string,
  over: {
    readonly retryable?: boolean
    readonly down?: boolean
    readonly unasked?: boolean
    readonly retryAfter?: number
    readonly partial?: string
    readonly overflow?: boolean
  } = {},
): ModelReply {
  return {
    status: 'failed',
    error,
    retryable: false,
    partial: '',
    usage: NO_USAGE,
    cost: 0,
    ...over,
  }
}

/** Streams some text, then stays silent until it is aborted. */
export function hangs(partial = ''): Call {
  return async (_request, { signal, onEvent, onText }) => {
    onEvent()
    if (partial !== '') onText?.(partial)
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    }
    return { status: 'aborted', partial, usage: NO_USAGE, cost: 0 }
  }
}

const USAGE = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 }
