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

/**
 * Gives a person or a bot a handle that nobody else in the house has, nor one that looks like it. Handles held before stay theirs:
 * an old message that calls `@ann` never calls another Ann.
 */
export async function claimHandle(tx: Executor, claim: HandleClaim): Promise<NameAndHandle> {
  const name = requireDisplayName(claim.name)
  const handle = checked(claim.handle ?? (await proposeHandle(tx, claim.houseId, name)))
  const key = handleSkeleton(handle)
  const rows = await tx.query(
    `insert into handles (house_id, handle_key, owner_id) values ($1, $2, $3)
     on conflict (house_id, handle_key) do update set owner_id = excluded.owner_id
       where handles.owner_id = excluded.owner_id
     returning owner_id`,
    [claim.houseId, key, claim.ownerId],
  )
  if (rows.length === 0)
    throw new Refused('handle_taken', `The handle @${handle}, or one that looks like it, is taken.`)
  return { name, handle, key }
}

/** A free handle that is like the name. */
export async function proposeHandle(tx: Executor, houseId: HouseId, name: string): Promise<string> {
  const taken = await tx.query<{ handle_key: string }>(
    `select handle_key from handles where house_id = $1`,
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

export async function releaseHandles(
  tx: Executor,
  houseId: HouseId,
  ownerId: ActorId,
): Promise<void> {
  await tx.query(`delete from handles where house_id = $1 and owner_id = $2`, [houseId, ownerId])
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
