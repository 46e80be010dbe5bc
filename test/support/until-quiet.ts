import { setTimeout } from 'node:timers/promises'
import type { Executor } from '../../packages/core/db/executor.ts'

interface Unquiet {
  readonly id: string
  readonly decided: number
  readonly wakeHead: number
  readonly holder: string | null
  readonly isQueued: boolean
  readonly lastError: string | null
}

/** Until no thread of the database, or this one, is due, held or undecided; throws with what still waits when that takes too long. */
export async function untilQuiet(
  executor: Executor,
  withinMs: number,
  threadId?: string,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    // A connection may have broken while this process stood still.
    const unquiet = await executor
      .query<Unquiet>(UNQUIET, [threadId ?? null])
      .catch(() => undefined)
    if (unquiet?.length === 0) return
    if (performance.now() > deadline)
      throw new Error(`not at rest after ${withinMs} ms: ${JSON.stringify(unquiet)}`)
    await setTimeout(25)
  }
}

/** Until what stands at an offset has its decision, and its turn if there is one. */
export async function untilDecided(
  executor: Executor,
  threadId: string,
  seq: number,
): Promise<void> {
  const decided = `select 1 from thread_directors where thread_id = $1 and decided_offset >= $2`
  while ((await executor.query(decided, [threadId, seq])).length === 0) await setTimeout(25)
}

const UNQUIET = `
  select t.id, coalesce(d.decided_offset, 0) as decided, t.wake_head as "wakeHead", d.holder,
      q.key is not null as "isQueued", d.last_error as "lastError"
    from threads t
    left join thread_directors d on d.thread_id = t.id
    left join dispatch q on q.key = 'thread:' || t.id
    where ($1::text is null or t.id = $1)
      and (q.key is not null or d.lease_until is not null or t.wake_head > coalesce(d.decided_offset, 0)
        or (d.last_decision ->> 'speaker' is not null and d.last_outcome is null))`
