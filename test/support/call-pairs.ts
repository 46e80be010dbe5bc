import type { ScriptedRequest } from './scripted-provider.ts'

/** A call or its result as a request holds it; anything else that stands between them. */
type Step =
  | { readonly type: 'call'; readonly id: string }
  | { readonly type: 'result'; readonly id: string; readonly text: string }
  | { readonly type: 'other' }

export interface CallPairs {
  /** For each call, in order, what its result says. */
  readonly results: readonly string[]
  /** Why a provider refuses the request: calls need their results right behind them, each once. */
  readonly refusedFor: readonly string[]
}

/** Reads the calls and results of a request's body, of either protocol. */
export function callPairsOf({ body, shape }: ScriptedRequest): CallPairs {
  const messages = body['messages'] as readonly Message[]
  const steps = messages.flatMap(shape === 'openai' ? openaiSteps : anthropicSteps)
  const refusedFor: string[] = []
  const results: string[] = []
  const known = new Set<string>()
  let open: readonly string[] = []
  for (const step of [...steps, { type: 'other' } as const]) {
    if (step.type === 'result') {
      if (!open.includes(step.id)) refusedFor.push(`a result of ${step.id} where it is not called`)
      open = open.filter((id) => id !== step.id)
      results.push(step.text)
    } else if (step.type === 'call') {
      if (known.has(step.id)) refusedFor.push(`${step.id} twice`)
      known.add(step.id)
      open = [...open, step.id]
    } else {
      refusedFor.push(...open.map((id) => `${id} without a result`))
      open = []
    }
  }
  return { results, refusedFor }
}

interface Message {
  readonly role: string
  readonly content: unknown
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

function openaiSteps(message: Message): readonly Step[] {
  const { role, content, tool_calls: calls = [], tool_call_id: id = '' } = message
  if (role === 'tool') return [{ type: 'result', id, text: JSON.stringify(content) }]
  return [{ type: 'other' }, ...calls.map((call): Step => ({ type: 'call', id: call.id }))]
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly content?: unknown
}

function anthropicSteps({ content }: Message): readonly Step[] {
  if (!Array.isArray(content)) return [{ type: 'other' }]
  return content.map(({ type, id, tool_use_id: of, content: told }: Block): Step => {
    if (type === 'tool_use') return { type: 'call', id: String(id) }
    if (type !== 'tool_result') return { type: 'other' }
    return { type: 'result', id: String(of), text: JSON.stringify(told) }
  })
}
