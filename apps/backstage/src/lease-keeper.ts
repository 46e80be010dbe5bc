import type { Timers } from '@arbe/core/dispatch/clock'
import type { Claim, DirectorStore, Lease } from '@arbe/core/thread-director/thread-director-port'
import { LeaseLost } from '@arbe/core/threads/turn'
import type { ThreadId } from '@arbe/sdk'

/** A thread held by this process. Disposing it stops the renewals; the lease itself is given back by the pass. */
export interface Hold extends AsyncDisposable {
  readonly lease: Lease
  /** Aborts with LeaseLost when the lease may no longer be ours, or is to be given back. */
  readonly signal: AbortSignal
  /**
   * Asked before anything begins that outlasts this process. A process that stood still gets the answers that waited for it before
   * its timers, and would go on with the lease of another: when the time is up by its own clock, the signal aborts here and now.
   */
  isOurs(): boolean
}

export interface LeaseTimes {
  readonly clock: Timers
  readonly leaseMs: number
  readonly renewMs: number
}

/** How long before the lease lapses on our own clock the work stops: what is under way must have ended by then. */
const MARGIN = 1 / 6

interface Renewing extends Pick<Hold, 'isOurs'> {
  end(): void
}

export interface LeaseKeeper {
  /** Undefined when another holds the thread, it is backing off, or it is gone. */
  hold(threadId: ThreadId): Promise<Hold | undefined>
  /** Ends this process's turn of a thread at once; whoever took it over says why. */
  abort(threadId: ThreadId, reason: string): void
  abortAll(reason: string): void
}

/**
 * Claims threads and keeps the claims alive. Time is measured from before each request, on this process's own clock:
 * whatever the database's clock says, the work ends before the lease can have lapsed.
 */
export function createLeaseKeeper(
  store: Pick<DirectorStore, 'claim' | 'renew'>,
  holder: string,
  times: LeaseTimes,
): LeaseKeeper {
  const { clock, leaseMs, renewMs } = times
  const live = new Map<ThreadId, AbortController>()

  async function hold(threadId: ThreadId): Promise<Hold | undefined> {
    const askedAt = clock.now()
    const claim: Claim = await store.claim(threadId, { id: holder, leaseMs })
    if (claim.status !== 'claimed') return undefined
    live.get(threadId)?.abort(new LeaseLost('this process claimed the thread again'))
    const control = new AbortController()
    live.set(threadId, control)
    const renewing = keepRenewing(claim.lease, control, askedAt)
    return {
      lease: claim.lease,
      signal: control.signal,
      isOurs: renewing.isOurs,
      async [Symbol.asyncDispose]() {
        renewing.end()
        if (live.get(threadId) === control) live.delete(threadId)
      },
    }
  }

  function keepRenewing(lease: Lease, control: AbortController, askedAt: number): Renewing {
    const abort = (): void => control.abort(new LeaseLost('the lease could not be renewed in time'))
    const safeMs = leaseMs * (1 - MARGIN)
    let safeUntil = askedAt + safeMs
    let callOff = clock.after(safeUntil - clock.now(), abort)
    const endRenewals = clock.every(renewMs, () => void renew())

    async function renew(): Promise<void> {
      const renewedAt = clock.now()
      // A failed request is not a lost lease: the deadline decides.
      const ours = await store.renew(lease, leaseMs).catch(() => undefined)
      if (ours === false) control.abort(new LeaseLost('the thread was taken over'))
      if (ours !== true || control.signal.aborted) return
      callOff()
      safeUntil = renewedAt + safeMs
      callOff = clock.after(safeUntil - clock.now(), abort)
    }

    return {
      isOurs() {
        if (clock.now() >= safeUntil) abort()
        return !control.signal.aborted
      },
      end() {
        callOff()
        endRenewals()
      },
    }
  }

  return {
    hold,
    abort: (threadId, reason) => live.get(threadId)?.abort(new LeaseLost(reason)),
    abortAll(reason) {
      for (const control of live.values()) control.abort(new LeaseLost(reason))
    },
  }
}
