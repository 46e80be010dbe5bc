import type { Entry, Offset } from '@arbe/sdk'
import type { ContextRange, ReadContext } from '../streams/read-context.ts'
import type { LostCause, TurnGround } from '../threads/lost-cause.ts'
import { isConversation } from './thread-director-capture.ts'
import type { MemoryThread } from './thread-director-memory-house.ts'

const MOST_ANSWERED = 100

/** What `turn_context` reads, but for its bound on the bytes of a bot's own work. */
export function contextInMemory(
  { entries }: MemoryThread,
  { botId, from, seen, owed, limit }: ContextRange,
): ReadContext {
  const known = entries.slice(0, seen)
  const talk = known.filter(isConversation).slice(-limit)
  const after = talk.length === limit ? (talk[0]?.seq ?? 1) - 1 : 0
  const covered = known.filter(({ wakes, seq }) => wakes && seq > from && seq <= after)
  const answered = new Set<number>([
    ...owed,
    ...covered.slice(0, MOST_ANSWERED).map(({ seq }) => seq),
  ])
  const own = new Set(
    known.flatMap((entry) =>
      isDecision(entry) && entry.seq > after && entry.body.speaker === botId ? [entry.body.d] : [],
    ),
  )
  const told = new Set<Entry>(talk)
  return {
    after,
    entries: known.filter(
      (entry) =>
        told.has(entry) ||
        answered.has(entry.seq) ||
        (isChange(entry) && answered.has(entry.body.target)) ||
        (isDecision(entry) && entry.seq > after && own.has(entry.body.d)) ||
        (isWork(entry) && own.has(entry.body.decision)),
    ),
  }
}

export function lostCauseInMemory(
  { entries, bots }: MemoryThread,
  { speaker, causes, seen }: TurnGround,
): LostCause | undefined {
  if (!bots.some(({ id }) => id === speaker)) return 'speaker_left'
  const isDeleted = (seq: Offset): boolean =>
    entries.some(
      (entry) => entry.kind === 'chat.delete' && entry.seq > seen && entry.body.target === seq,
    )
  return causes.length > 0 && causes.every(isDeleted) ? 'cause_deleted' : undefined
}

type Of<Kind extends Entry['kind']> = Extract<Entry, { readonly kind: Kind }>

function isDecision(entry: Entry): entry is Of<'signal.thread_director.decision'> {
  return entry.kind === 'signal.thread_director.decision'
}

function isChange(entry: Entry): entry is Of<'chat.edit' | 'chat.delete'> {
  return entry.kind === 'chat.edit' || entry.kind === 'chat.delete'
}

function isWork(entry: Entry): entry is Of<'pi.assistant' | 'pi.tool_result'> {
  return entry.kind === 'pi.assistant' || entry.kind === 'pi.tool_result'
}
