import type { Entry, ThreadId } from '@arbe/sdk'
import type { LedgerCall } from '../../packages/core/models/ledger.ts'
import type { ModelRequest } from '../../packages/core/models/model.ts'
import { requireThread, type SimulatedHouse } from './house.ts'

/** Sees what no stream holds: what was asked of models, and what went wrong without an entry. */
export interface Watch {
  readonly found: readonly string[]
  onModelCall(call: LedgerCall, request: ModelRequest): void
  onError(worker: string, error: unknown, threadId: ThreadId | undefined): void
}

export function createWatch({ house }: SimulatedHouse): Watch {
  const found: string[] = []

  function seenBy({ threadId, decision }: LedgerCall): number {
    const entry = house.find(threadId, `arbe:decision:${decision}`)
    return entry?.kind === 'signal.thread_director.decision' ? entry.body.seen : Infinity
  }

  return {
    found,
    onModelCall(call, request) {
      if (call.purpose !== 'turn') return
      const seen = seenBy(call)
      const late = requireThread(house, call.threadId).entries.slice(seen).flatMap(wordsIn)
      if (late.length === 0) return
      const text = JSON.stringify(request.messages)
      for (const word of late.filter((one) => text.includes(one)))
        found.push(`R-36: turn ${call.decision} read ${word}, which came after ${seen}`)
    },
    onError(worker, error, threadId) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      found.push(`${worker} failed on ${threadId ?? 'no thread'}: ${reason}`)
    },
  }
}

const WORDS = /words-\d+-/g

/** The words that stand nowhere else, of an entry that people or other bots wrote. */
function wordsIn(entry: Entry): readonly string[] {
  if (entry.kind !== 'chat' && entry.kind !== 'chat.edit') return []
  return entry.causedBy === null ? (entry.body.text.match(WORDS) ?? []) : []
}
