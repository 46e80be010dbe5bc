import type { Model, ModelRequest } from './model.ts'

/** No answer is longer: larger ones do not belong into a chat, and the bound is a bound on cost. */
export const MOST_OUTPUT_TOKENS = 16_384

/** What a request may cost at most, in US dollars; 0: its model has no price. */
export function mostCostOf({ price, maxOutput }: Model, request: ModelRequest): number {
  const { input, output, cacheWrite } = price
  if (input === 0 && output === 0) return 0
  const { systemPrompt, messages, tools, maxOutputTokens = MOST_OUTPUT_TOKENS } = request
  const bytes = Buffer.byteLength(JSON.stringify({ systemPrompt, messages, tools }))
  const outputTokens = Math.min(maxOutputTokens, maxOutput ?? MOST_OUTPUT_TOKENS)
  const inputCost = (bytes / FEWEST_BYTES_PER_TOKEN) * Math.max(input, cacheWrite)
  return (inputCost + outputTokens * output) / 1_000_000
}

// Prose has four; code and tables have fewer.
const FEWEST_BYTES_PER_TOKEN = 3
