import { ApiError } from '@arbe/sdk/client'
import { setTimeout } from 'node:timers/promises'
import type { SeededRandom } from '../../test/support/seeded-random.ts'

/** A house that gives no answer for longer, faults or not, is broken. */
const PATIENCE_MS = 120_000

/** Asks again until there is an answer, as a client does that knows its key; throws what no fault explains. */
export async function insist<Answer>(
  random: SeededRandom,
  ask: () => Promise<Answer>,
  onAgain: () => void = () => undefined,
): Promise<Answer> {
  const since = performance.now()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (isRefusal(error) || performance.now() - since > PATIENCE_MS) throw error
      onAgain()
      await setTimeout(random.between(50, 300))
    }
  }
}

/** One key, two places: asking again would not mend it. */
export class TwoPlaces extends Error {
  override readonly name = 'TwoPlaces'
}

function isRefusal(error: unknown): boolean {
  if (error instanceof TwoPlaces) return true
  return error instanceof ApiError && error.status < 500 && error.status !== 429
}
