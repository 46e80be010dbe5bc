import type { ModelAsked } from '@arbe/sdk/api'
import { sayMoney } from '@arbe/sdk/say-money'
import { sayFact } from './say-why.ts'

/** What was sent to a model for a decision, and what came back, to be read by a person. */
export function sayAsked(
  requests: readonly ModelAsked[],
  nameOf: (id: string) => string,
): readonly string[] {
  if (requests.length === 0) return [sayFact(['asked', 'no model, or longer than 30 days ago'])]
  return requests.flatMap((one) => sayCall(one, nameOf))
}

function sayCall(asked: ModelAsked, nameOf: (id: string) => string): readonly string[] {
  const { at, model, request, answered, usage, cost, error } = asked
  const tokens = usage === null ? 'not billed yet' : `${usage.input} + ${usage.output} tokens`
  const ids = Object.entries(request.candidates).map(([id, bot]) =>
    bot === null ? id : `${id} is ${nameOf(bot)}`,
  )
  return [
    sayFact(['asked', `${model}, attempt ${request.attempt}, ${at}`]),
    sayFact(['cost', `${sayMoney(cost)}, ${tokens}`]),
    sayFact(['ids', ids.join(', ')]),
    ...quote('system', request.systemPrompt),
    ...request.messages.flatMap(({ role, content }) => quote(role, content)),
    ...request.tools.flatMap((tool) => quote('tool', JSON.stringify(tool))),
    ...quote('answer', answered ?? '(none yet)'),
    ...(error === null ? [] : [sayFact(['error', error])]),
  ]
}

function quote(what: string, text: string): readonly string[] {
  return [`  ${what}`, ...text.split('\n').map((line) => `    ${line}`)]
}
