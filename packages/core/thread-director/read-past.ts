import type { Entry, Offset } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { entryAt, entryColumns, knownEntries } from '../streams/entry-row.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'
import type { DecisionEntry, PastThread } from './past-capture.ts'
import type { RosterToday } from './past-roster.ts'

/** More than a capture's tail reaches back, also where bots' work stands in between. */
const BEFORE = 1_000

/** The last decisions with the stream that led to them, and the one before; what they reply to is there however old it is. */
export async function readPast(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  last: number,
): Promise<PastThread & { readonly decisions: readonly DecisionEntry[] }> {
  const ref = [houseId, threadId]
  const newest = await executor.query<DecisionEntry>(DECISIONS, [...ref, last + 1])
  const decisions = newest.toReversed().slice(newest.length > last ? 1 : 0)
  const from = newest.at(-1)?.body.from ?? 0
  const around = await executor.query<Entry>(AROUND, [...ref, from - BEFORE])
  const older = await executor.query<Entry>(AT, [...ref, olderThan(around)])
  const entries = knownEntries([...around, ...older]).toSorted((a, b) => a.seq - b.seq)
  const [row] = await executor.query<{ today: RosterToday }>(TODAY, ref)
  if (row === undefined) throw new Error(`thread ${threadId} is gone`)
  return { decisions, entries, today: row.today }
}

/** What is spoken of and not among the entries. */
function olderThan(entries: readonly Entry[]): readonly Offset[] {
  const there = new Set(entries.map(({ seq }) => seq))
  const spokenOf = entries.flatMap((entry) => {
    if (entry.kind === 'chat') return entry.body.replyTo ?? []
    return entry.kind === 'chat.edit' || entry.kind === 'chat.delete' ? entry.body.target : []
  })
  return spokenOf.filter((seq) => !there.has(seq))
}

const DECISIONS = `
  select ${entryColumns} from entries
    where house_id = $1 and thread_id = $2 and author_kind = 'director'
      and kind = 'signal.thread_director.decision'
    order by entries.seq desc limit $3`

const AROUND = `
  select ${entryColumns} from entries
    where house_id = $1 and thread_id = $2
      and (kind in ('thread.people', 'thread.bots', 'thread.mute', 'thread.limits', 'thread.banter')
        or (seq > $3 and kind not like 'pi.%'))`

const AT = `
  select ${entryColumns} from unnest($3::bigint[]) place
    cross join lateral (${entryAt({ house: '$1', thread: '$2', seq: 'place' })}) entries`

const TODAY = `
  select json_build_object(
    'thread', json_build_object('title', t.title, 'banter', false, 'hops', t.hops, 'directorModel', h.director_model,
      'limitPerBot', h.limit_per_bot, 'limitPerThread', h.limit_per_thread),
    'people', coalesce((select json_agg(json_build_object('id', m.id, 'name', m.name, 'handle', m.handle) order by m.id)
      from members m where m.house_id = t.house_id), '[]'),
    'bots', coalesce((select json_agg(json_build_object('id', a.id, 'name', a.name, 'handle', a.handle,
        'description', a.description, 'external', a.external, 'model', a.model, 'tools', '[]'::json,
        'mode', coalesce(a.trigger_mode, h.default_trigger_mode)))
      from agents a where a.house_id = t.house_id and a.kind = 'bot'), '[]')) as today
    from threads t join houses h on h.id = t.house_id
    where t.house_id = $1 and t.id = $2`
