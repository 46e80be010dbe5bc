import type { ActorId, ThreadId, TriggerMode } from '@arbe/sdk'
import { requireRole } from '../access/authorship.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import { lockEnvironment } from '../environments/environments.ts'
import { wakeThread } from '../jobs/wake-thread.ts'
import { requireBots, requirePeople } from './house-ids.ts'
import { insertBots } from './insert-bots.ts'
import { type Roster, openThread } from './open-thread.ts'
import { type ChangeAuthor, type ThreadChange, appendChanges } from './thread-changes.ts'

export interface ThreadPatch {
  readonly title?: string | undefined
  readonly addPeople?: readonly ActorId[] | undefined
  readonly removePeople?: readonly ActorId[] | undefined
  readonly addBots?: readonly ActorId[] | undefined
  readonly removeBots?: readonly ActorId[] | undefined
  readonly modes?: readonly { readonly bot: ActorId; readonly mode: TriggerMode }[] | undefined
  readonly mutes?: readonly Mute[] | undefined
  readonly banter?: boolean | undefined
  /** Null: none. */
  readonly environment?: string | null | undefined
  readonly limits?: { readonly perBot: number; readonly perThread: number } | undefined
}

interface Mute {
  readonly bot: ActorId
  readonly muted: boolean
  /** After so many a mute ends by itself. */
  readonly minutes?: number | undefined
}

interface Change {
  readonly entry: ThreadChange
  /** A bot that is owed a turn may get it now. */
  readonly servable: boolean
}

/** Changes who is in a thread and how its bots behave. What is already so makes no entry. */
export async function changeThread(
  tx: Executor,
  author: ChangeAuthor,
  { threadId, patch }: { readonly threadId: ThreadId; readonly patch: ThreadPatch },
): Promise<void> {
  if (author.kind === 'person') requireRole(author, 'member')
  // Two changes at once, one after the other: each sees the roster the other left.
  await tx.query(`select 1 from threads where house_id = $1 and id = $2 for no key update`, [
    author.houseId,
    threadId,
  ])
  const { roster } = await openThread(tx, author, { threadId })
  const place = { tx, author, threadId, roster }
  const changes = [
    ...(await changeTitle(place, patch.title)),
    ...(await changePeople(place, patch)),
    ...(await changeBots(place, patch)),
    ...(await changeMutes(place, patch)),
    ...(await changeLimits(place, patch.limits)),
    ...(await changeBanter(place, patch.banter)),
    ...(await changeEnvironment(place, patch.environment)),
  ]
  if (changes.length === 0) return
  await tx.query(`update threads set rev = rev + 1 where house_id = $1 and id = $2`, [
    author.houseId,
    threadId,
  ])
  await appendChanges(tx, author, { threadId, changes: changes.map(({ entry }) => entry) })
  if (changes.some(({ servable }) => servable)) await wakeThread(tx, threadId)
}

interface Place {
  readonly tx: Executor
  readonly author: ChangeAuthor
  readonly threadId: ThreadId
  readonly roster: Roster
}

async function changeTitle(place: Place, title: string | undefined): Promise<readonly Change[]> {
  if (title === undefined) return []
  const rows = await place.tx.query(
    `update threads set title = $3 where house_id = $1 and id = $2 and title <> $3 returning id`,
    [place.author.houseId, place.threadId, title],
  )
  return rows.length === 0
    ? []
    : [{ entry: { kind: 'thread.title', body: { title } }, servable: false }]
}

async function changePeople(place: Place, patch: ThreadPatch): Promise<readonly Change[]> {
  const { tx, author, threadId, roster } = place
  const inThread = (id: ActorId): boolean => roster.people.some((person) => person.id === id)
  const added = distinct(patch.addPeople).filter((id) => !inThread(id))
  const removed = distinct(patch.removePeople).filter(inThread)
  if (added.length + removed.length === 0) return []
  await requirePeople(tx, author.houseId, added)
  await tx.query(
    `insert into thread_people (house_id, thread_id, member_id) select $1, $2, unnest($3::text[])`,
    [author.houseId, threadId, added],
  )
  await tx.query(
    `delete from thread_people where house_id = $1 and thread_id = $2 and member_id = any($3::text[])`,
    [author.houseId, threadId, removed],
  )
  return [{ entry: { kind: 'thread.people', body: { added, removed } }, servable: false }]
}

async function changeBots(place: Place, patch: ThreadPatch): Promise<readonly Change[]> {
  const { tx, author, threadId, roster } = place
  const inThread = (id: ActorId): boolean => roster.bots.some((bot) => bot.id === id)
  const added = distinct(patch.addBots).filter((id) => !inThread(id))
  const removed = distinct(patch.removeBots).filter(inThread)
  const modes = patch.modes ?? []
  if (added.length + removed.length + modes.length === 0) return []
  await requireBots(tx, author.houseId, added)
  refuseOutsiders(
    modes.map(({ bot }) => bot),
    (id) => (inThread(id) && !removed.includes(id)) || added.includes(id),
  )
  await insertBots(tx, { houseId: author.houseId, threadId }, { bots: added, always: [] })
  await tx.query(
    `delete from thread_bots where house_id = $1 and thread_id = $2 and bot_id = any($3::text[])`,
    [author.houseId, threadId, removed],
  )
  for (const { bot, mode } of modes)
    await tx.query(
      `update thread_bots set trigger_mode = $4 where house_id = $1 and thread_id = $2 and bot_id = $3`,
      [author.houseId, threadId, bot, mode],
    )
  return [
    {
      entry: { kind: 'thread.bots', body: { added, removed, modes: [...modes] } },
      servable: added.length + modes.length > 0,
    },
  ]
}

// A mute whose time is over is none. One for a time is always a change, since it ends at another moment.
const MUTE = `
  update thread_bots b set muted = $4, muted_until = clock_timestamp() + $5 * interval '1 minute',
      muted_at = case when $4 then t.head else b.muted_at end
    from threads t
    where t.house_id = $1 and t.id = $2 and b.house_id = t.house_id and b.thread_id = t.id and b.bot_id = $3
      and ($5::int is not null or (b.muted_until is not null and $4)
        or $4 <> (b.muted and coalesce(b.muted_until > clock_timestamp(), true)))
    returning to_char(b.muted_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as until`

async function changeMutes(place: Place, patch: ThreadPatch): Promise<readonly Change[]> {
  const { tx, author, threadId, roster } = place
  const changes: Change[] = []
  for (const { bot, muted, minutes = null } of patch.mutes ?? []) {
    refuseOutsiders([bot], (id) => roster.bots.some((one) => one.id === id))
    const [row] = await tx.query<{ until: string | null }>(MUTE, [
      author.houseId,
      threadId,
      bot,
      muted,
      minutes,
    ])
    if (row === undefined) continue
    const body = { bot, muted, ...(row.until !== null && { until: row.until }) }
    changes.push({ entry: { kind: 'thread.mute', body }, servable: !muted })
  }
  return changes
}

async function changeLimits(
  place: Place,
  limits: ThreadPatch['limits'],
): Promise<readonly Change[]> {
  if (limits === undefined) return []
  const rows = await place.tx.query(
    `update threads set limit_per_bot = $3, limit_per_thread = $4
     where house_id = $1 and id = $2
       and (limit_per_bot, limit_per_thread) is distinct from ($3::int, $4::int) returning id`,
    [place.author.houseId, place.threadId, limits.perBot, limits.perThread],
  )
  return rows.length === 0
    ? []
    : [{ entry: { kind: 'thread.limits', body: limits }, servable: true }]
}

async function changeEnvironment(
  { tx, author, threadId }: Place,
  id: string | null | undefined,
): Promise<readonly Change[]> {
  if (id === undefined) return []
  const { houseId } = author
  const name = id === null ? '' : (await lockEnvironment(tx, houseId, id)).name
  const rows = await tx.query(
    `update threads set environment_id = $3
       where house_id = $1 and id = $2 and environment_id is distinct from $3 returning id`,
    [houseId, threadId, id],
  )
  return rows.length === 0
    ? []
    : [{ entry: { kind: 'thread.environment', body: { environment: id, name } }, servable: false }]
}

async function changeBanter(place: Place, on: boolean | undefined): Promise<readonly Change[]> {
  if (on === undefined) return []
  const rows = await place.tx.query(
    `update threads set banter = $3 where house_id = $1 and id = $2 and banter <> $3 returning id`,
    [place.author.houseId, place.threadId, on],
  )
  // What bots have said so far has been decided, and no bot is owed more or less by it.
  return rows.length === 0
    ? []
    : [{ entry: { kind: 'thread.banter', body: { on } }, servable: false }]
}

const distinct = (ids: readonly ActorId[] | undefined): ActorId[] => [...new Set(ids)]

function refuseOutsiders(ids: readonly ActorId[], isInside: (id: ActorId) => boolean): void {
  const outsider = ids.find((id) => !isInside(id))
  if (outsider !== undefined)
    throw new Refused('not_found', `No bot "${outsider}" is in this thread.`)
}
