import type { ActorId, HouseId } from '@arbe/sdk'
import {
  type HandleError,
  handleFromName,
  handleSkeleton,
  normalizeHandle,
} from '@arbe/sdk/handles'
import { type DisplayNameError, checkDisplayName } from '@arbe/sdk/display-name'
import type { Executor } from '../db/executor.ts'
import { Refused } from './refused.ts'

export interface HandleClaim {
  readonly houseId: HouseId
  readonly ownerId: ActorId
  readonly name: string
  /** Undefined: made from the name. */
  readonly handle?: string | undefined
}

export interface NameAndHandle {
  readonly name: string
  readonly handle: string
  /** Equal for handles that look alike. */
  readonly key: string
}

const KEPT_DAYS = 30

const KEPT_SINCE = `clock_timestamp() - interval '${KEPT_DAYS} days'`

/** Of a row \`h\` of handles: given up, and not free yet. */
export const IS_KEPT = `h.released_at > ${KEPT_SINCE}`
const IS_FREE = `h.released_at <= ${KEPT_SINCE}`

/**
 * Gives a person or a bot a handle that nobody else in the house has, nor one that looks like it. The one they had stays theirs for
 * thirty days: who still writes `@ann` never calls another Ann.
 */
export async function claimHandle(tx: Executor, claim: HandleClaim): Promise<NameAndHandle> {
  const name = requireDisplayName(claim.name)
  const handle = checked(claim.handle ?? (await proposeHandle(tx, claim.houseId, name)))
  const key = handleSkeleton(handle)
  const rows = await tx.query(
    `insert into handles as h (house_id, handle_key, owner_id, handle) values ($1, $2, $3, $4)
     on conflict (house_id, handle_key) do update
       set owner_id = excluded.owner_id, handle = excluded.handle, released_at = null
       where h.owner_id = excluded.owner_id or ${IS_FREE}
     returning owner_id`,
    [claim.houseId, key, claim.ownerId, handle],
  )
  if (rows.length === 0) throw await refuseTaken(tx, claim.houseId, { handle, key })
  await release(tx, { houseId: claim.houseId, ownerId: claim.ownerId, except: key })
  return { name, handle, key }
}

async function refuseTaken(
  tx: Executor,
  houseId: HouseId,
  { handle, key }: Omit<NameAndHandle, 'name'>,
): Promise<Refused> {
  const [row] = await tx.query<{ until: string | null }>(
    `select to_char(released_at at time zone 'UTC' + interval '${KEPT_DAYS} days', 'YYYY-MM-DD HH24:MI "UTC"') as until
     from handles where house_id = $1 and handle_key = $2`,
    [houseId, key],
  )
  const either = `The handle @${handle}, or one that looks like it,`
  const why =
    row?.until == null
      ? 'is taken.'
      : `was released and is kept for its former owner until ${row.until}.`
  return new Refused('handle_taken', `${either} ${why}`)
}

/** A free handle that is like the name. */
export async function proposeHandle(tx: Executor, houseId: HouseId, name: string): Promise<string> {
  const taken = await tx.query<{ handle_key: string }>(
    `select handle_key from handles h where house_id = $1 and (${IS_FREE}) is not true`,
    [houseId],
  )
  return handleFromName(
    name,
    taken.map(({ handle_key }) => handle_key),
  )
}

const reasons: Readonly<Record<HandleError, string>> = {
  too_short: 'it is too short',
  too_long: 'it is too long',
  bad_character: 'it may hold letters, digits, "-" and "_" only',
  bad_edge: 'it may not begin or end with "-" or "_"',
  no_letter: 'it needs a letter',
  mixed_scripts: 'its letters come from more than one script',
  reserved: 'it means something else here',
}

function checked(handle: string): string {
  const check = normalizeHandle(handle)
  if (check.status === 'ok') return check.handle
  throw new Refused(
    'handle_refused',
    `The handle "${handle}" cannot be used: ${reasons[check.error]}.`,
  )
}

/** Of somebody who leaves the house; kept free for as long as those of the renamed. */
export async function releaseHandles(
  tx: Executor,
  houseId: HouseId,
  ownerId: ActorId,
): Promise<void> {
  await release(tx, { houseId, ownerId, except: '' })
}

async function release(
  tx: Executor,
  held: { readonly houseId: HouseId; readonly ownerId: ActorId; readonly except: string },
): Promise<void> {
  await tx.query(
    `update handles set released_at = clock_timestamp()
     where house_id = $1 and owner_id = $2 and handle_key <> $3 and released_at is null`,
    [held.houseId, held.ownerId, held.except],
  )
}

const nameReasons: Readonly<Record<DisplayNameError, string>> = {
  empty: 'nothing in it can be seen',
  too_long: 'it is too long',
  bad_character: 'it holds a line break or a character that cannot be seen',
}

/** A name is shown beside what others said: one line that shows what it is. */
export function requireDisplayName(raw: string): string {
  const check = checkDisplayName(raw)
  if (check.status === 'ok') return check.name
  throw new Refused('invalid_body', `The name cannot be used: ${nameReasons[check.error]}.`)
}

const TITLE_LENGTH = 120

/** A thread may go without a title. */
export function requireTitle(raw: string): string {
  if (raw.trim() === '') return ''
  const check = checkDisplayName(raw, TITLE_LENGTH)
  if (check.status === 'ok') return check.name
  throw new Refused('invalid_body', `The title cannot be used: ${nameReasons[check.error]}.`)
}
