import type { DecisionBody, Entry, EntryKind, EntryOf } from '@arbe/sdk'

/** A decision with all that its turn left in the stream. */
export interface Turn {
  readonly seq: number
  readonly decision: DecisionBody
  readonly outcomes: readonly EntryOf<'signal.thread_director.outcome'>[]
  readonly replies: readonly EntryOf<'chat'>[]
  readonly rounds: readonly EntryOf<'pi.assistant'>[]
  readonly results: readonly EntryOf<'pi.tool_result'>[]
}

/** In the order of the decisions. */
export function readTurns(entries: readonly Entry[]): readonly Turn[] {
  const outcomes = Map.groupBy(
    ofKind(entries, 'signal.thread_director.outcome'),
    ({ body }) => body.d,
  )
  const written = Map.groupBy(entries, ({ causedBy }) => causedBy)
  return ofKind(entries, 'signal.thread_director.decision').map(({ seq, body: decision }) => {
    const own = written.get(decision.d) ?? []
    return {
      seq,
      decision,
      outcomes: outcomes.get(decision.d) ?? [],
      replies: ofKind(own, 'chat'),
      rounds: ofKind(own, 'pi.assistant'),
      results: ofKind(own, 'pi.tool_result'),
    }
  })
}

export function ofKind<Kind extends EntryKind>(
  entries: readonly Entry[],
  kind: Kind,
): readonly EntryOf<Kind>[] {
  return entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind)
}

export function isClosed({ decision, outcomes }: Turn): boolean {
  return decision.speaker === null || outcomes.some(({ body }) => body.closes)
}
