import type { Person, Role } from '@arbe/sdk/api'
import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { type PersonActor, requireRole } from './authorship.ts'
import { claimHandle, releaseHandles } from './handles.ts'
import { newId } from './new-id.ts'
import { Refused } from './refused.ts'
import { revokeTokensOf } from './tokens.ts'

export interface MemberDraft {
  readonly name: string
  /** Undefined: made from the name. */
  readonly handle?: string | undefined
  readonly role: Role
}

export async function addMember(
  tx: Executor,
  houseId: HouseId,
  draft: MemberDraft,
): Promise<Person> {
  const id = toActorId(newId('usr'))
  const { name, handle, key } = await claimHandle(tx, { houseId, ownerId: id, ...draft })
  await tx.query(
    `insert into members (house_id, id, name, handle, handle_key, role) values ($1, $2, $3, $4, $5, $6)`,
    [houseId, id, name, handle, key, draft.role],
  )
  return { id, name, handle, role: draft.role }
}

const COLUMNS = `id, name, handle, role`

export async function listMembers(
  executor: Executor,
  houseId: HouseId,
): Promise<readonly Person[]> {
  return executor.query<Person>(
    `select ${COLUMNS} from members where house_id = $1 and removed_at is null order by created_at, id`,
    [houseId],
  )
}

export async function getMember(
  executor: Executor,
  houseId: HouseId,
  id: ActorId,
): Promise<Person> {
  const [member] = await executor.query<Person>(
    `select ${COLUMNS} from members where house_id = $1 and id = $2 and removed_at is null`,
    [houseId, id],
  )
  if (member === undefined) throw new Refused('not_found', `The house has no member "${id}".`)
  return member
}

/** Ids never change: what was said stays theirs under the new name. */
export async function renameMember(
  tx: Executor,
  houseId: HouseId,
  rename: {
    readonly id: ActorId
    readonly name?: string | undefined
    readonly handle?: string | undefined
  },
): Promise<Person> {
  const member = await getMember(tx, houseId, rename.id)
  const { name, handle, key } = await claimHandle(tx, {
    houseId,
    ownerId: rename.id,
    name: rename.name ?? member.name,
    handle: rename.handle ?? member.handle,
  })
  await tx.query(
    `update members set name = $3, handle = $4, handle_key = $5 where house_id = $1 and id = $2`,
    [houseId, rename.id, name, handle, key],
  )
  return { ...member, name, handle }
}

/** Admins manage members and guests; owners and admins, and the making of them, are an owner's business. */
export async function requireMayManage(
  executor: Executor,
  actor: PersonActor,
  managed: { readonly id: ActorId; readonly role?: Role },
): Promise<void> {
  const member = await getMember(executor, actor.houseId, managed.id)
  const isHigh = [member.role, managed.role].some((role) => role === 'owner' || role === 'admin')
  if (isHigh) requireRole(actor, 'owner')
}

export async function setRole(
  tx: Executor,
  houseId: HouseId,
  change: { readonly id: ActorId; readonly role: Role },
): Promise<Person> {
  const member = await getMember(tx, houseId, change.id)
  if (member.role === 'owner' && change.role !== 'owner') await keepAnOwner(tx, houseId, change.id)
  await tx.query(`update members set role = $3 where house_id = $1 and id = $2`, [
    houseId,
    change.id,
    change.role,
  ])
  return { ...member, role: change.role }
}

/** The row stays, so that what they wrote keeps its author; every token ends, and the handle is free after a while. */
export async function removeMember(tx: Executor, houseId: HouseId, id: ActorId): Promise<void> {
  const member = await getMember(tx, houseId, id)
  if (member.role === 'owner') await keepAnOwner(tx, houseId, id)
  await tx.query(
    `update members set removed_at = clock_timestamp() where house_id = $1 and id = $2`,
    [houseId, id],
  )
  await releaseHandles(tx, houseId, id)
  await revokeTokensOf(tx, houseId, id)
}

async function keepAnOwner(tx: Executor, houseId: HouseId, leaving: ActorId): Promise<void> {
  // Locked, so that two owners who leave at once cannot both count on the other.
  const owners = await tx.query<{ id: string }>(
    `select id from members where house_id = $1 and role = 'owner' and removed_at is null
     order by id for update`,
    [houseId],
  )
  if (owners.every((owner) => owner.id === leaving))
    throw new Refused('last_owner', 'A house keeps at least one owner: name another one first.')
}
