import type { Entry } from '@arbe/sdk'
import type { DatabasePlace } from '../../packages/core/db/open-db.ts'
import type { When } from './watched-database.ts'

/** What one process of a house is to do, as its argument; it serves wakes alone. */
export interface HouseOrder {
  readonly place: DatabasePlace
  /** A minute unless it is said: nobody loses it for being slow. */
  readonly leaseMs?: number
  /** Begins a minute after the others died: that much is taken off every time in the rows. */
  readonly isLater?: boolean
  /** Serves no other thread. */
  readonly threadId?: string
  /** Dies right there. Without it the house goes on until every thread rests, and reports. */
  readonly killAt?: KillPoint
  /** Another signal than SIGKILL; after SIGSTOP and SIGCONT it goes on. */
  readonly signal?: 'SIGSTOP'
  /** From this round on the model keeps silent. */
  readonly silentFrom?: number
  readonly stop?: StopOf
  /** Each bot runs a command, which cannot be repeated, instead of changing a file; each thread has a box for it. */
  readonly isCommand?: boolean
  /** Each bot names the others for ever, and does nothing else. */
  readonly isEndless?: boolean
}

export interface StopOf {
  readonly key: string
  /** While the silent model is asked, or before anything is served. */
  readonly at: 'silence' | 'start'
}

export interface KillPoint {
  readonly when: When
  readonly number: number
  readonly among: 'statements' | 'renewals' | 'stop' | 'calls'
}

/** What it prints, one line each; before the kill synchronously, so that nothing it said is lost. */
export type HouseLine =
  /** Everything through which a kill can pass. */
  | {
      readonly type: 'point'
      readonly among: KillPoint['among']
      readonly number: number
      readonly text: string
    }
  | { readonly type: 'serving' }
  /** The model was asked in a thread's turn. */
  | { readonly type: 'call'; readonly threadId: string; readonly round: number }
  /** A command of a thread's turn has run. */
  | { readonly type: 'command'; readonly threadId: string }
  | { readonly type: 'report'; readonly report: HouseReport }

export interface HouseReport {
  readonly threads: readonly ThreadReport[]
  readonly errors: readonly string[]
}

export interface ThreadReport {
  readonly threadId: string
  /** As this process found it. */
  readonly found: readonly Entry[]
  readonly entries: readonly Entry[]
  readonly file: { readonly versions: number; readonly content: string }
  /** Model calls on the books. */
  readonly booked: number
}
