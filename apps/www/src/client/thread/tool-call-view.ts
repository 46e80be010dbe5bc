import type { EntryOf, OutcomeBody } from '@arbe/sdk'

export type CallState = 'running' | 'done' | 'failed' | 'unknown' | 'cancelled'

export interface ToolCallView {
  readonly key: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly state: CallState
  readonly text: string
  readonly ms: number | undefined
}

type ToolResult = EntryOf<'pi.tool_result'>

interface CallPlace {
  readonly decision: number
  readonly round: number
  readonly index: number
}

export const placeKey = ({ decision, round, index }: CallPlace): string =>
  `${decision}:${round}:${index}`

/** The calls of one round with what became of each. */
export function callsOf(
  { body: { decision, round, message } }: EntryOf<'pi.assistant'>,
  ended: {
    readonly results: ReadonlyMap<string, ToolResult>
    readonly outcome: OutcomeBody | undefined
  },
): readonly ToolCallView[] {
  return message.content
    .filter((block) => block['type'] === 'toolCall')
    .map((block, index) => {
      const key = placeKey({ decision, round, index })
      const result = ended.results.get(key)
      return {
        key,
        tool: String(block['name']),
        args: toRecord(block['arguments']),
        state: stateOf(result, ended.outcome),
        text: result?.body.text ?? '',
        ms: result?.body.ms,
      }
    })
}

function stateOf(result: ToolResult | undefined, outcome: OutcomeBody | undefined): CallState {
  if (result !== undefined) {
    if (result.body.error === 'outcome_unknown') return 'unknown'
    return result.body.isError ? 'failed' : 'done'
  }
  if (outcome === undefined) return 'running'
  return outcome.status === 'cancelled' ? 'cancelled' : 'unknown'
}

function toRecord(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null ? { ...args } : {}
}
