import { type Entry, type EntryOf, NO_USAGE, toOffset } from '@arbe/sdk'
import type { Capture } from './thread-director-port.ts'

/** A text that nobody has said. */
export type Supposed = Pick<EntryOf<'chat'>, 'threadId' | 'authorId' | 'authorKind' | 'body'>

/** The capture as it would be if this were said now, right behind all that stands in the thread. */
export function supposeSaid(
  capture: Capture,
  supposed: Supposed,
  repliedTo: Entry | undefined,
): Capture {
  const seen = toOffset(capture.seen + 1)
  const entry: Entry = {
    ...supposed,
    seq: seen,
    key: 'supposed',
    kind: 'chat',
    wakes: true,
    readable: true,
    causedBy: null,
    hops: 0,
    createdAt: new Date(capture.now).toISOString(),
  }
  const tail = [...capture.tail, ...(repliedTo === undefined ? [] : [repliedTo]), entry]
  // With a backlog beyond what one capture holds the text stands behind it, like every new one.
  return capture.more
    ? { ...capture, seen, tail }
    : { ...capture, seen, tail, unread: [...capture.unread, entry] }
}

/**
 * The capture as it would be if the turn that runs ended now and said nothing: what is said during a turn is decided after it.
 * Nobody knows yet what the bot will say.
 */
export function supposeTurnOver(capture: Capture): Capture {
  const { lastDecision: running, lastOutcome } = capture
  if (running === undefined || running.speaker === null || lastOutcome !== undefined) return capture
  return {
    ...capture,
    decidedOffset: running.to,
    unread: capture.unread.filter(({ seq }) => seq > running.to),
    lastOutcome: {
      d: running.d,
      closes: true,
      status: 'silent',
      rounds: 0,
      usage: NO_USAGE,
      cost: 0,
      ms: 0,
      voided: [],
    },
  }
}
