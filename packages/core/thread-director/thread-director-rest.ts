import { isQuiet } from './thread-director-eligibility.ts'
import { viewOf } from './thread-director-entry-view.ts'
import type { Capture, DecisionDraft } from './thread-director-port.ts'

/** Whether nothing is left to decide once this is stored, were nothing said and nothing changed since the capture. */
export function restsAfter(capture: Capture, draft: DecisionDraft): boolean {
  if (draft.speaker !== null || capture.more) return false
  const after: Capture = {
    ...capture,
    decidedOffset: draft.to,
    lastDecision: { ...draft, d: capture.d, fence: 0 },
    lastOutcome: undefined,
    unread: capture.unread.filter(({ seq }) => seq > draft.to),
  }
  return isQuiet(viewOf(after))
}
