import { type bodySchemas, type Entry, NO_USAGE } from '@arbe/sdk'
import { decisionBody } from './decision-body.ts'
import { storyteller } from './entries.ts'

type DecisionInput = (typeof bodySchemas)['signal.thread_director.decision']['_zod']['input']
type OutcomeInput = (typeof bodySchemas)['signal.thread_director.outcome']['_zod']['input']
type ResultInput = (typeof bodySchemas)['pi.tool_result']['_zod']['input']

/** A thread told step by step; `entries` is what its stream holds. A turn is that of the last decision. */
export function threadStory() {
  const teller = storyteller()
  const entries: Entry[] = []
  let d = 0

  const add: typeof teller.add = (kind, author, body, over) => {
    const entry = teller.add(kind, author, body, over)
    entries.push(entry)
    return entry
  }

  return {
    entries,
    add,
    say: (author: string, text: string): number => add('chat', author, { text }).seq,
    reply: (bot: string, text: string): number => add('chat', bot, { text }, { causedBy: d }).seq,
    decide(over: Partial<DecisionInput>): number {
      d += 1
      const head = entries.length
      return add('signal.thread_director.decision', 'system', {
        ...decisionBody(),
        d,
        from: Math.max(0, head - 1),
        to: head,
        seen: head,
        fence: d,
        ...over,
      }).seq
    },
    end: (over: Partial<OutcomeInput>): number =>
      add('signal.thread_director.outcome', 'system', {
        d,
        closes: true,
        status: 'replied',
        rounds: 1,
        usage: NO_USAGE,
        cost: 0,
        ms: 1,
        ...over,
      }).seq,
    round(
      round: number,
      said: { readonly text: string; readonly tools: readonly string[] },
    ): number {
      const content = [
        ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
        ...said.tools.map((name) => ({ type: 'toolCall', id: name, name, arguments: {} })),
      ]
      const body = { decision: d, round, message: { role: 'assistant' as const, content }, ms: 1 }
      return add('pi.assistant', 'agt_ada', body, { causedBy: d }).seq
    },
    result: (round: number, index: number, over: Partial<ResultInput>): number =>
      add(
        'pi.tool_result',
        'agt_ada',
        {
          decision: d,
          round,
          index,
          callId: `${round}:${index}`,
          tool: 'tool',
          text: '',
          isError: false,
          ms: 1,
          ...over,
        },
        { causedBy: d },
      ).seq,
  }
}
