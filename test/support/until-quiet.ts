import { setTimeout } from 'node:timers/promises'
import type { Executor } from '../../packages/core/db/executor.ts'

interface Unquiet {
  readonly id: string
  readonly decided: number
  readonly wakeHead: number
  /** Of a lease that is alive. */
  readonly holder: string | null
  readonly isQueued: boolean
  readonly lastError: string | null
}

/**
 * Until no thread of the database, or this one, is due, held or undecided; throws with what still waits when that takes too long. Where
 * nobody sweeps, a thread that is in no queue and in no hands throws after a second: it would stay so for ever.
 */
export async function untilQuiet(
  executor: Executor,
  withinMs: number,
  { threadId, sweeps = true }: { readonly threadId?: string; readonly sweeps?: boolean } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  let lostSince = Infinity
  for (;;) {
    const now = performance.now()
    // A connection may have broken while this process stood still.
    const unquiet = await executor
      .query<Unquiet>(UNQUIET, [threadId ?? null])
      .catch(() => undefined)
    if (unquiet?.length === 0) return
    const lost = sweeps ? [] : (unquiet ?? []).filter((one) => !one.isQueued && one.holder === null)
    lostSince = lost.length === 0 ? Infinity : Math.min(lostSince, now)
    if (now > lostSince + 1_000) throw new Error(`lost for ever: ${JSON.stringify(lost)}`)
    if (now > deadline)
      throw new Error(`not at rest after ${withinMs} ms: ${JSON.stringify(unquiet)}`)
    await setTimeout(25)
  }
}

const UNQUIET = `
  select t.id, coalesce(d.decided_offset, 0) as decided, t.wake_head as "wakeHead",
      case when d.lease_until > clock_timestamp() then d.holder end as holder,
      q.key is not null as "isQueued", d.last_error as "lastError"
    from threads t
    left join thread_directors d on d.thread_id = t.id
    left join dispatch q on q.key = 'thread:' || t.id
    where ($1::text is null or t.id = $1)
      and (q.key is not null or d.lease_until is not null or t.wake_head > coalesce(d.decided_offset, 0)
        or (d.last_decision ->> 'speaker' is not null and d.last_outcome is null))`
