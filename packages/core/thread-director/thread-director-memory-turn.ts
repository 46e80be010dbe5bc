import type { Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import {
  LeaseLost,
  type ToolCallPlace,
  type ToolOutcome,
  type TurnWrites,
} from '../threads/turn.ts'
import type { MemoryHouse, NewEntry } from './thread-director-memory-house.ts'
import { heldBy } from './thread-director-memory-rows.ts'
import {
  assistantEntryOf,
  effectKeyOf,
  outcomeIn,
  resultEntryOf,
  resultKeyOf,
  type TurnOf,
} from './turn-entry.ts'

export interface MemoryTurnOptions {
  readonly step?: (operation: keyof TurnWrites, when: 'before' | 'after') => Promise<void>
  /** Carries out what an effect asked of its transaction, once its result is stored. */
  readonly commit?: (sql: string, params: readonly unknown[]) => void
}

/** The writes of one turn without a database. What an effect asks of its transaction answers no rows and is done at the commit. */
export function createMemoryTurnWrites(
  house: MemoryHouse,
  turn: TurnOf,
  options: MemoryTurnOptions = {},
): TurnWrites {
  const { step = async () => undefined, commit = () => undefined } = options

  function requireHeld(): void {
    const { lease } = turn
    if (heldBy(house, lease) === undefined)
      throw new LeaseLost(`fence ${lease.fence} no longer holds thread ${lease.threadId}`)
  }

  function append(entry: NewEntry): Offset {
    requireHeld()
    return house.append(entry)
  }

  function storedResult(call: ToolCallPlace): ToolOutcome | undefined {
    const entry = house.find(turn.lease.threadId, resultKeyOf(turn, call))
    return entry?.kind === 'pi.tool_result' ? outcomeIn(entry.body) : undefined
  }

  function storeResult(call: ToolCallPlace, outcome: ToolOutcome): ToolOutcome {
    append(resultEntryOf(turn, call, outcome))
    return storedResult(call) ?? outcome
  }

  return {
    async assistant(round) {
      await step('assistant', 'before')
      const seq = append(assistantEntryOf(turn, round))
      await step('assistant', 'after')
      return seq
    },

    async toolResult(call, outcome) {
      await step('toolResult', 'before')
      const stored = storeResult(call, outcome)
      await step('toolResult', 'after')
      return stored
    },

    async toolEffect(call, effect) {
      await step('toolEffect', 'before')
      requireHeld()
      const before = storedResult(call)
      if (before !== undefined) return before
      const asked: (readonly [string, readonly unknown[]])[] = []
      const tx: Executor = {
        async query(sql, params = []) {
          asked.push([sql, params])
          return []
        },
      }
      const outcome = await effect(tx, effectKeyOf(turn, call), () => undefined)
      const stored = storeResult(call, outcome)
      for (const [sql, params] of asked) commit(sql, params)
      await step('toolEffect', 'after')
      return stored
    },
  }
}
