import { type Entry, toOffset } from '@arbe/sdk'

import type { Database } from '../../packages/core/db/executor.ts'
import type { ToolCallPlace, ToolOutcome, TurnWrites } from '../../packages/core/threads/turn.ts'
import type { storyteller } from './entries.ts'

export interface RecordedWrites extends TurnWrites {
  readonly entries: readonly Entry[]
}

/** A turn's writes kept in memory; what is stored for a place first stays, and an effect runs in a real transaction. */
export function recordWrites(
  db: Database,
  {
    story,
    author,
    decision,
  }: {
    readonly story: ReturnType<typeof storyteller>
    readonly author: string
    readonly decision: number
  },
): RecordedWrites {
  const entries: Entry[] = []
  const results = new Map<string, ToolOutcome>()
  const keyOf = ({ round, index }: ToolCallPlace): string => `${round}:${index}`

  function storeResult(place: ToolCallPlace, outcome: ToolOutcome): ToolOutcome {
    const stored = results.get(keyOf(place))
    if (stored !== undefined) return stored
    results.set(keyOf(place), outcome)
    const { ms = 0, ...said } = outcome
    const body = { decision, ...place, ...said, ms }
    entries.push(story.add('pi.tool_result', author, body, { causedBy: decision }))
    return outcome
  }

  return {
    entries,
    async assistant({ round, message, ms }) {
      const content = message.content.map((block) => ({ ...block }))
      const body = { decision, round, message: { ...message, content }, ms }
      const entry = story.add('pi.assistant', author, body, { causedBy: decision })
      entries.push(entry)
      return toOffset(entry.seq)
    },
    toolResult: async (place, outcome) => storeResult(place, outcome),
    async toolEffect(place, effect) {
      const stored = results.get(keyOf(place))
      if (stored !== undefined) return stored
      const key = `thr_1:${decision}:${keyOf(place)}`
      return storeResult(place, await db.transaction((tx) => effect(tx, key, () => undefined)))
    },
  }
}
