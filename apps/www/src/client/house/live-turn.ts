import type { Entry, FeedEvent, ThreadState } from '@arbe/sdk'

export type Delta = Extract<FeedEvent, { type: 'delta' }>

/** What a bot is writing right now; the stored round replaces it. */
export interface LiveTurn {
  readonly decision: number
  readonly fence: number
  readonly bot: string
  readonly round: number
  readonly after: number
  readonly text: string
  /** False once a piece was missed: nothing more is shown until the stored round. */
  readonly whole: boolean
}

/** Folds deltas: a newer fence or round starts anew, a stale fence is dropped, a missing piece stops the show. */
export function applyDelta(live: LiveTurn | undefined, delta: Delta): LiveTurn | undefined {
  if (live !== undefined && delta.fence < live.fence) return live
  const same =
    live !== undefined &&
    live.fence === delta.fence &&
    live.decision === delta.decision &&
    live.round === delta.round
  if (!same) {
    return { ...place(delta), text: delta.at === 0 ? delta.text : '', whole: delta.at === 0 }
  }
  if (!live.whole) return live
  if (delta.at > live.text.length) return { ...live, whole: false }
  return { ...live, text: live.text.slice(0, delta.at) + delta.text }
}

function place(delta: Delta): Omit<LiveTurn, 'text' | 'whole'> {
  const { decision, fence, bot, round, after } = delta
  return { decision, fence, bot, round, after }
}

/** True when the entry took the place of that answer: what is streamed comes over another way, and may come later than what is stored. */
export function settles(
  entry: Entry,
  { decision, after }: Pick<LiveTurn, 'decision' | 'after'>,
): boolean {
  if (entry.seq <= after) return false
  if (entry.kind === 'pi.assistant') return entry.body.decision === decision
  return entry.kind === 'signal.thread_director.outcome' && entry.body.d === decision
}

/** A state is believed only until its lease would lapse: a dead worker's work does not go on for ever on the screen. */
export function stateAt(state: ThreadState, now: number): ThreadState {
  return state.status !== 'quiet' && state.until < now ? { status: 'quiet' } : state
}
