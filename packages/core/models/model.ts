import type { Usage } from '@arbe/sdk'
import type { Circuit } from './circuit.ts'

/**
 * Messages have the shape of the model library's own (plain JSON), so that a stored assistant message goes back verbatim:
 * the signatures inside it are needed for replay.
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string; readonly timestamp: number }
  | AssistantMessage
  | {
      readonly role: 'toolResult'
      readonly toolCallId: string
      readonly toolName: string
      readonly content: readonly { readonly type: 'text'; readonly text: string }[]
      readonly isError: boolean
      readonly timestamp: number
    }

export type AssistantBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | {
      readonly type: 'toolCall'
      readonly id: string
      readonly name: string
      readonly arguments: Readonly<Record<string, unknown>>
      /** Set when the arguments were no JSON object; they are empty then. */
      readonly argumentsError?: string
    }

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: readonly AssistantBlock[]
  readonly stopReason: 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'
  readonly timestamp: number
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: object
}

export interface ModelRequest {
  readonly systemPrompt: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  /** Forces this tool; thinking is off then. */
  readonly forceTool?: string
  readonly maxOutputTokens?: number
  /** Keeps a provider's cache together: thread + bot. */
  readonly sessionId?: string
}

export type ModelReply =
  | {
      readonly status: 'ok'
      readonly message: AssistantMessage
      readonly usage: Usage
      readonly cost: number
    }
  | {
      readonly status: 'failed'
      /** The provider's reason, one sentence; holds no secret. */
      readonly error: string
      readonly retryable: boolean
      /** The provider is at fault: out of reach, broken off, or by its own word. */
      readonly down?: boolean
      /** No request was made. */
      readonly unasked?: boolean
      /** The request is larger than the model reads. */
      readonly overflow?: boolean
      /** Milliseconds the provider asked to wait. */
      readonly retryAfter?: number
      /** Text streamed before it broke. */
      readonly partial: string
      readonly usage: Usage
      readonly cost: number
    }
  | {
      readonly status: 'aborted'
      readonly partial: string
      readonly usage: Usage
      readonly cost: number
    }

export interface Model {
  /** `provider/model`. */
  readonly id: string
  /** True for the built-in demo model: shown wherever it speaks. */
  readonly demo: boolean
  /** US dollars per million tokens. */
  readonly price: Usage
  readonly contextWindow: number
  /** Tokens of its longest answer, where that is known. */
  readonly maxOutput?: number
  /** To be asked before each call, and told of its reply. The demo model needs none. */
  readonly circuit?: Circuit
  /** Never rejects for a provider's failure; makes exactly one request and retries nothing. `onText` must not throw. */
  call(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal
      readonly onEvent: () => void
      readonly onText?: (delta: string) => void
    },
  ): Promise<ModelReply>
}

/** Resolves a bot's model name; an empty name is the house's default. */
export interface Models {
  /** Undefined when the name is unknown or its provider is not configured. */
  find(name: string): Model | undefined
  readonly defaultName: string
  readonly names: readonly string[]
}
