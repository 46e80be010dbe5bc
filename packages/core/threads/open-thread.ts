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

const OPEN = `
  select t.id as "threadId", director_roster(t.id)::jsonb as roster, (
      select jsonb_build_object('seq', e.seq, 'kind', e.kind, 'body', e.body)
      from entries e where e.thread_id = t.id and e.key = $4
    ) as keyed
  from threads t
  where t.house_id = $1 and t.id = $2 and (
    exists (select 1 from thread_people p
      where p.house_id = t.house_id and p.thread_id = t.id and p.member_id = $3)
    or exists (select 1 from thread_bots b
      where b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $3))`

/** A thread for someone who is in it. For everyone else there is no such thread: what exists elsewhere is nobody's business. */
export async function openThread(
  executor: Executor,
  actor: Pick<Actor, 'houseId' | 'id'>,
  asked: { readonly threadId: ThreadId; readonly key?: string },
): Promise<OpenThread> {
  const [row] = await executor.query<OpenThread>(OPEN, [
    actor.houseId,
    asked.threadId,
    actor.id,
    asked.key ?? null,
  ])
  if (row === undefined) throw noSuchThread(asked.threadId)
  return row
}

export function noSuchThread(threadId: ThreadId): Refused {
  return new Refused('not_found', `There is no thread "${threadId}" for you.`)
}
