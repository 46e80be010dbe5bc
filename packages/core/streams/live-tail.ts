import type { Entry, Offset, ThreadId } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'
import type { LiveBus } from './live-bus.ts'
import { type Paced, paced } from './paced.ts'
import { readCursors } from './read-cursors.ts'
import { dueGroups, type Tail, type TailGroup } from './tail-groups.ts'
import { headsOf, type Page, type ThreadRef } from './thread-stream.ts'

/** Entries of one thread in order. All readers that stand at the same offset get the same object, so that it is encoded once. */
export interface TailBatch {
  readonly threadId: ThreadId
  readonly entries: readonly Entry[]
}

/** One connection, on any number of threads. */
export interface TailReader {
  /** Must not throw. False: it cannot keep up; it is dropped and may come back from where it stood. */
  deliver(batch: TailBatch): boolean
  onDropped(): void
}

export interface Tailing extends Disposable {
  /** From the first entry after `after`; each entry once and in order. */
  follow(thread: ThreadRef, after: Offset): void
  unfollow(threadId: ThreadId): void
}

/** The one hub of a process: it reads each new entry once, for everyone who follows its thread. */
export interface LiveTail {
  open(reader: TailReader): Tailing
  close(): Promise<void>
}

export interface LiveTailParts {
  readonly executor: Executor
  readonly bus: Pick<LiveBus, 'listen'>
  /** The database did not answer; the hub goes on by itself when it does. */
  readonly onError: (error: unknown) => void
  /** How often it looks by itself, for hints that were lost. */
  readonly pollMs?: number
}

const PAGE = 200
const PAUSE_MIN_MS = 5
const PAUSE_MAX_MS = 100

export function openLiveTail(parts: LiveTailParts): LiveTail {
  return new Hub(parts)
}

class Hub implements LiveTail {
  readonly #executor: Executor
  readonly #tails = new Map<ThreadId, Tail>()
  readonly #pump: Paced
  readonly #poll: Paced
  readonly #stopHints: () => void
  #lastDeliveryMs = 0

  constructor({ executor, bus, onError, pollMs = 1_500 }: LiveTailParts) {
    this.#executor = executor
    this.#pump = paced(
      () => this.#readOnce().catch(onError),
      // With many readers the time goes into delivering: half of it is left to the rest of the process.
      () => Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, this.#lastDeliveryMs)),
    )
    this.#poll = paced(
      () => this.#lookForHeads().catch(onError),
      () => pollMs,
    )
    this.#stopHints = bus.listen({ onAppended: ({ threadId, seq }) => this.#hint(threadId, seq) })
  }

  open(reader: TailReader): Tailing {
    return {
      follow: (thread, after) => this.#follow(reader, thread, after),
      unfollow: (threadId) => this.#leave(reader, threadId),
      [Symbol.dispose]: () => this.#leaveAll(reader),
    }
  }

  async close(): Promise<void> {
    this.#stopHints()
    await Promise.all([this.#pump.close(), this.#poll.close()])
  }

  #follow(reader: TailReader, thread: ThreadRef, position: Offset): void {
    const tail = this.#tails.get(thread.threadId) ?? { thread, followers: new Map(), hinted: 0 }
    this.#tails.set(thread.threadId, tail)
    tail.followers.set(reader, { reader, position, isDue: true })
    this.#pump.touch()
    this.#poll.touch()
  }

  #leave(reader: TailReader, threadId: ThreadId): void {
    const tail = this.#tails.get(threadId)
    tail?.followers.delete(reader)
    if (tail?.followers.size === 0) this.#tails.delete(threadId)
  }

  #leaveAll(reader: TailReader): void {
    for (const threadId of this.#tails.keys()) this.#leave(reader, threadId)
  }

  #hint(threadId: ThreadId, seq: number): void {
    const tail = this.#tails.get(threadId)
    if (tail === undefined || seq <= tail.hinted) return
    tail.hinted = seq
    this.#pump.touch()
  }

  async #lookForHeads(): Promise<void> {
    if (this.#tails.size === 0) return
    this.#poll.touch()
    const threads = [...this.#tails.values()].map(({ thread }) => thread)
    for (const [id, head] of await headsOf(this.#executor, threads)) this.#hint(id, head)
    // Also for what an earlier error left unread.
    this.#pump.touch()
  }

  async #readOnce(): Promise<void> {
    const groups = dueGroups(this.#tails.values())
    if (groups.length === 0) return
    const cursors = groups.map(({ tail, after }) => ({ ...tail.thread, after }))
    const pages = await readCursors(this.#executor, cursors, PAGE)
    const start = performance.now()
    for (const [index, page] of pages.entries()) {
      const group = groups[index]
      if (group !== undefined) this.#give(group, page)
    }
    this.#lastDeliveryMs = performance.now() - start
    this.#pump.touch()
  }

  #give({ tail, hinted, followers }: TailGroup, page: Page): void {
    const isFull = page.entries.length + page.skipped === PAGE
    const batch = { threadId: tail.thread.threadId, entries: page.entries }
    for (const follower of followers) {
      // It may have left, or begun anew, during the read.
      if (tail.followers.get(follower.reader) !== follower) continue
      follower.position = page.through
      follower.isDue = isFull
      if (batch.entries.length > 0 && !follower.reader.deliver(batch)) this.#drop(follower.reader)
    }
    // The log ends here, whatever was hinted before the read.
    if (!isFull && tail.hinted === hinted) tail.hinted = page.through
  }

  #drop(reader: TailReader): void {
    this.#leaveAll(reader)
    reader.onDropped()
  }
}
