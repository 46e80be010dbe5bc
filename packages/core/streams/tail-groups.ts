import type { Offset } from '@arbe/sdk'

import type { TailReader } from './live-tail.ts'
import type { ThreadRef } from './thread-stream.ts'

export interface Follower {
  readonly reader: TailReader
  position: Offset
  /** There may be entries after its position, whatever was hinted. */
  isDue: boolean
}

export interface Tail {
  readonly thread: ThreadRef
  readonly followers: Map<TailReader, Follower>
  /** Up to here there may be entries. */
  hinted: number
}

/** Followers of one thread that stand at the same offset: one read serves them all. */
export interface TailGroup {
  readonly tail: Tail
  readonly after: Offset
  /** The thread's hint when the group was made: one that comes during the read must not be taken for served. */
  readonly hinted: number
  readonly followers: readonly Follower[]
}

// The rest is due in the next round, since nothing of it was marked as read.
const GROUPS_MAX = 200

export function dueGroups(tails: Iterable<Tail>): readonly TailGroup[] {
  const groups: TailGroup[] = []
  for (const tail of tails) {
    const due = [...tail.followers.values()].filter(
      ({ position, isDue }) => isDue || position < tail.hinted,
    )
    for (const [after, followers] of Map.groupBy(due, ({ position }) => position)) {
      groups.push({ tail, after, hinted: tail.hinted, followers })
      if (groups.length === GROUPS_MAX) return groups
    }
  }
  return groups
}
