import type { AppendInput, Thread } from '@arbe/sdk'
import type { Subject } from './subject.ts'
import type { ThreadView } from './thread-view.ts'
import type { Who } from './people.ts'

/** What every part of a thread's screen needs to draw itself and to act. */
export interface ThreadScene {
  readonly thread: Thread
  readonly view: ThreadView
  readonly who: (id: string) => Who
  /** The person at this screen. */
  readonly me: string
  readonly isAdmin: boolean
  /** Appends; what goes wrong is said above the composer, and gives false. */
  readonly act: (input: AppendInput) => Promise<boolean>
  readonly write: (subject: Subject) => void
}
