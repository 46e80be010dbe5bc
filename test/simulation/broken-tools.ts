import type { EntryOf, ThreadId } from '@arbe/sdk'
import { readAssistantMessage, toolCallsOf } from '../../packages/core/models/assistant-message.ts'
import { ofKind } from '../support/read-turns.ts'
import type { CountedTools } from './counted-tools.ts'
import type { Plan } from './plan.ts'
import { placeOf, requireThread, type SimulatedHouse } from './house.ts'

/** What tools did more than once, or did again although what came of it is on record. */
export function brokenTools({
  db,
  tools,
  plan,
}: {
  readonly plan: Plan
  readonly db: SimulatedHouse
  readonly tools: CountedTools
}): readonly string[] {
  const recorded = new Map(db.threadIds.flatMap((id) => resultsIn(db, id)))
  return [
    ...twice(tools.effects).map((id) => `I8: ${id} took effect twice`),
    ...twice(tools.runs.flatMap(({ tool, id }) => (tool === 'send' ? [id] : []))).map(
      (id) => `I8: ${id} was sent twice`,
    ),
    // When the database's clock is set, a holder learns by its next renewal alone that it holds no longer.
    ...(plan.databaseClocks > 0 ? [] : tools.runs)
      .filter(({ id, at }) => at > (recorded.get(id) ?? Infinity))
      .map(({ tool, id, life }) => `I8: ${life.name} ran ${tool} ${id} again after its result`),
  ]
}

/** When the result of each call was stored. */
function resultsIn(db: SimulatedHouse, threadId: ThreadId): readonly (readonly [string, number])[] {
  const { entries } = requireThread(db.house, threadId)
  const rounds = ofKind(entries, 'pi.assistant')
  return ofKind(entries, 'pi.tool_result').flatMap(({ key, body }) => {
    const at = db.storedAt.get(placeOf(threadId, key))
    const id = idOf(rounds, body)
    return at === undefined || id === undefined ? [] : [[id, at] as const]
  })
}

function idOf(
  rounds: readonly EntryOf<'pi.assistant'>[],
  { decision, round, index }: EntryOf<'pi.tool_result'>['body'],
): string | undefined {
  const entry = rounds.find(({ body }) => body.decision === decision && body.round === round)
  const message = readAssistantMessage(entry?.body.message)
  const id = message === undefined ? undefined : toolCallsOf(message)[index]?.arguments['id']
  return typeof id === 'string' ? id : undefined
}

function twice(all: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return all.filter((one) => seen.size === seen.add(one).size)
}
