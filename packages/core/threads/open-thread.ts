import type { ActorId, EntryKind, Offset, ThreadId } from '@arbe/sdk'
import type { TriggerMode } from '@arbe/sdk'
import type { Actor } from '../access/authorship.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'

export interface RosterPerson {
  readonly id: ActorId
  readonly name: string
  readonly handle: string
}

export interface RosterBot extends RosterPerson {
  readonly description: string
  /** As the bot's owner set it; empty: the house's default. */
  readonly model: string
  /** Resolved: thread → bot → house. */
  readonly mode: TriggerMode
  readonly muted: boolean
  /** When a mute ends by itself, ISO 8601; it stays when it has passed. */
  readonly mutedUntil: string | null
  readonly external: boolean
}

export interface Roster {
  readonly people: readonly RosterPerson[]
  readonly bots: readonly RosterBot[]
}

/** An entry that stands in the thread under the key asked for. */
export interface KeyedEntry {
  readonly seq: Offset
  readonly kind: EntryKind
  readonly body: object
}

export interface OpenThread {
  readonly threadId: ThreadId
  readonly roster: Roster
  readonly keyed: KeyedEntry | null
}

const OPEN = 'select roster, keyed from open_thread($1, $2, $3, $4)'

/** A thread for someone who is in it. For everyone else there is no such thread: what exists elsewhere is nobody's business. */
export async function openThread(
  executor: Executor,
  actor: Pick<Actor, 'houseId' | 'id'>,
  asked: { readonly threadId: ThreadId; readonly key?: string },
): Promise<OpenThread> {
  const { threadId, key } = asked
  const args = [actor.houseId, threadId, actor.id, key ?? null]
  const [row] = await executor.query<Omit<OpenThread, 'threadId'>>(OPEN, args)
  if (row === undefined) throw noSuchThread(threadId)
  return { threadId, ...row }
}

export function noSuchThread(threadId: ThreadId): Refused {
  return new Refused('not_found', `There is no thread "${threadId}" for you.`)
}
