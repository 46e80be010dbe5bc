import type { Timers } from '@arbe/core/dispatch/clock'
import type { LiveBus } from '@arbe/core/streams/live-bus'
import type { ThreadState } from '@arbe/sdk/api'
import type { Hold } from './lease-keeper.ts'

export interface ShowParts {
  readonly bus: Pick<LiveBus, 'publish'>
  readonly hold: Pick<Hold, 'lease' | 'signal'>
  readonly leaseMs: number
  readonly renewMs: number
  readonly clock: Pick<Timers, 'every'>
  /** The time of day: whoever looks compares it with their own. */
  readonly timeOfDay: () => number
}

/**
 * What people see of a thread while it is held: choosing, speaking, running a tool, and the reply as it is written. Shown again with
 * every renewal and believed no longer than the lease, so that a dead worker's work ends on every screen by itself.
 */
export class LiveShow implements Disposable {
  readonly #parts: ShowParts
  readonly #endRepeats: () => void
  #state: ThreadState
  /** Each answer the model begins is a text of its own, also one that begins again. */
  #answer = 0
  #after = 0
  #length = 0

  constructor(parts: ShowParts) {
    this.#parts = parts
    const { fence } = parts.hold.lease
    this.#state = { status: 'deciding', fence, until: 0 }
    this.#publish()
    this.#endRepeats = parts.clock.every(parts.renewMs, () => this.#publish())
  }

  deciding(): void {
    this.#state = { status: 'deciding', fence: this.#parts.hold.lease.fence, until: 0 }
    this.#publish()
  }

  /** `after` is the thread's newest entry when the turn begins or is taken up. */
  speaking(
    bot: string,
    { d: decision, after }: { readonly d: number; readonly after: number },
  ): void {
    const { fence } = this.#parts.hold.lease
    this.#answer = 0
    this.#after = after
    this.#length = 0
    this.#state = {
      status: 'speaking',
      fence,
      bot,
      decision,
      tool: null,
      since: this.#parts.timeOfDay(),
      until: 0,
    }
    this.#publish()
  }

  /** Null when it ended. */
  tool(name: string | null): void {
    if (this.#state.status !== 'speaking') return
    this.#state = { ...this.#state, tool: name }
    this.#publish()
  }

  text(delta: string): void {
    if (this.#state.status !== 'speaking') return
    const { threadId, fence } = this.#parts.hold.lease
    const { bot, decision } = this.#state
    const place = { threadId, fence, bot, decision, round: this.#answer, after: this.#after }
    this.#parts.bus.publish({ type: 'delta', ...place, at: this.#length, text: delta })
    this.#length += delta.length
  }

  answerStored(seq: number): void {
    this.answerVoid()
    this.#after = seq
  }

  /** What was shown of the running answer holds no more. */
  answerVoid(): void {
    this.#answer += 1
    this.#length = 0
  }

  [Symbol.dispose](): void {
    this.#endRepeats()
    this.#state = { status: 'quiet' }
    this.#publish()
  }

  #publish(): void {
    const { bus, hold, leaseMs, timeOfDay } = this.#parts
    // After a takeover the thread is shown by whoever holds it.
    if (hold.signal.aborted) return
    const state =
      this.#state.status === 'quiet'
        ? this.#state
        : { ...this.#state, until: timeOfDay() + leaseMs }
    bus.publish({ type: 'state', threadId: hold.lease.threadId, state })
  }
}
