import type { FeedEvent, ThreadId } from '@arbe/sdk'

/** What is shown while it happens and stored nowhere; the entry that follows repairs what was missed. */
export type EphemeralEvent =
  | Exclude<FeedEvent, { readonly type: 'entry' | 'reset' }>
  /** The turn of this thread was stopped: who runs it ends at once, instead of at its next renewal. */
  | { readonly type: 'stop'; readonly threadId: ThreadId }

export interface EphemeralOutbox {
  put(event: EphemeralEvent): void
  /** What is to be sent now, oldest first: texts of a round joined, of states and the like the last one. */
  take(): readonly EphemeralEvent[]
}

export function ephemeralOutbox(): EphemeralOutbox {
  const waiting = new Map<string, EphemeralEvent>()
  return {
    put(event) {
      const key = keyOf(event)
      const before = waiting.get(key)
      if (event.type !== 'delta') waiting.set(key, event)
      else if (before?.type !== 'delta') waiting.set(key, event)
      else if (before.at + before.text.length === event.at) {
        waiting.set(key, { ...before, text: before.text + event.text })
      }
      // Else a piece is missing in between: readers wait for the stored round from here on.
    },
    take() {
      const events = [...waiting.values()]
      waiting.clear()
      return events
    },
  }
}

function keyOf(event: EphemeralEvent): string {
  switch (event.type) {
    case 'delta':
      return `delta ${event.threadId} ${event.fence} ${event.round}`
    case 'state':
      return `state ${event.threadId}`
    case 'typing':
      return `typing ${event.threadId} ${event.person}`
    case 'stop':
      return `stop ${event.threadId}`
  }
}
