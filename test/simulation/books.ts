import { NO_USAGE, type ThreadId } from '@arbe/sdk'
import type { Books, LedgerCall } from '../../packages/core/models/ledger.ts'
import type { Step } from './network.ts'

/** The ledger in memory; it lies in the database, so no death touches it. */
export interface Ledger {
  readonly calls: Map<string, LedgerCall>
  /** The books as one life has them; `onBooked` is told right before a call is made. */
  booksOf(step: Step, onBooked: (call: LedgerCall) => void): Books
}

/** `isRefused`: the house's budget has no room for a call just then. */
export function createLedger(isRefused: () => boolean): Ledger {
  const calls = new Map<string, LedgerCall>()
  const settled = new Set<string>()
  return {
    calls,
    booksOf: (step, onBooked) => ({
      async before(call) {
        await step('book', 'before')
        const isOpen = !isRefused()
        if (isOpen) calls.set(call.callId, call)
        await step('book', 'after')
        if (isOpen) onBooked(call)
        return isOpen
      },
      async settle(callId) {
        await step('settle', 'before')
        settled.add(callId)
        await step('settle', 'after')
      },
      async spendOfDecision(of) {
        await step('spend', 'before')
        const made = [...calls.values()].filter((call) => isOf(call, of))
        const unsettled = made.filter(({ callId }) => !settled.has(callId)).length
        await step('spend', 'after')
        return { calls: made.length, unsettled, usage: NO_USAGE, cost: 0 }
      },
      isSpent: async () => isRefused(),
    }),
  }
}

function isOf(
  call: LedgerCall,
  of: { readonly threadId: ThreadId; readonly decision: number; readonly purpose: string },
): boolean {
  return (
    call.threadId === of.threadId && call.decision === of.decision && call.purpose === of.purpose
  )
}
