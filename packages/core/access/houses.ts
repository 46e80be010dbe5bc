import { type ActorId, type HouseId, toActorId, toHouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { addMember } from './members.ts'
import { newId } from './new-id.ts'
import { type IssuedToken, issueToken } from './tokens.ts'

export interface House {
  readonly id: HouseId
  readonly name: string
  /** Chooses speakers; empty: the default model. */
  readonly directorModel: string
}

/** A house and its owner, who has no session yet: whoever opens the owner's link first is the owner. */
export async function createHouse(
  tx: Executor,
  draft: { readonly name: string; readonly ownerName: string; readonly ownerHandle: string },
): Promise<{ readonly houseId: HouseId; readonly ownerId: ActorId }> {
  const houseId = toHouseId(newId('hse'))
  await tx.query(`insert into houses (id, name) values ($1, $2)`, [houseId, draft.name])
  const owner = await addMember(tx, houseId, {
    name: draft.ownerName,
    handle: draft.ownerHandle,
    role: 'owner',
  })
  return { houseId, ownerId: toActorId(owner.id) }
}

/** The house this server opened first; undefined before the first start. */
export async function findFirstHouse(
  executor: Executor,
): Promise<Pick<House, 'id' | 'name'> | undefined> {
  const [row] = await executor.query<{ id: string; name: string }>(
    `select id, name from houses order by created_at, id limit 1`,
  )
  return row === undefined ? undefined : { id: toHouseId(row.id), name: row.name }
}

export async function findHouse(executor: Executor, houseId: HouseId): Promise<House | undefined> {
  const [row] = await executor.query<Omit<House, 'id'>>(
    `select name, coalesce(director_model, '') as "directorModel" from houses where id = $1`,
    [houseId],
  )
  return row && { id: houseId, ...row }
}

/** What is left out stays. */
export async function editHouse(
  executor: Executor,
  houseId: HouseId,
  { name, directorModel }: Partial<Omit<House, 'id'>>,
): Promise<void> {
  await executor.query(
    `update houses set name = coalesce($2, name), rev = rev + 1,
       director_model = case when $3::text is null then director_model else nullif($3, '') end
     where id = $1`,
    [houseId, name ?? null, directorModel ?? null],
  )
}

const OWNER_LINK_SECONDS = 24 * 60 * 60

const OWNER_BEFORE_FIRST_SESSION = `
  select m.id from members m
  where m.house_id = $1 and m.role = 'owner' and m.removed_at is null
    and not exists (
      select 1 from tokens t join members o on o.house_id = t.house_id and o.id = t.actor_id
      where t.house_id = $1 and t.kind = 'ses' and o.role = 'owner'
    )
  order by m.created_at limit 1`

/** A fresh one-time link while no owner has ever signed in; older ones end, since only the last one printed can be meant. */
export async function renewOwnerLink(
  tx: Executor,
  houseId: HouseId,
): Promise<IssuedToken | undefined> {
  const [owner] = await tx.query<{ id: string }>(OWNER_BEFORE_FIRST_SESSION, [houseId])
  return owner === undefined ? undefined : issueOwnerLink(tx, houseId, toActorId(owner.id))
}

/** Signs one owner in, once: the way back in for someone who holds the machine but no session. */
export async function issueOwnerLink(
  tx: Executor,
  houseId: HouseId,
  ownerId: ActorId,
): Promise<IssuedToken> {
  await tx.query(
    `update tokens set revoked_at = clock_timestamp()
     where house_id = $1 and actor_id = $2 and kind = 'owner_link' and revoked_at is null`,
    [houseId, ownerId],
  )
  return issueToken(tx, {
    kind: 'owner_link',
    houseId,
    actorId: ownerId,
    ttlSeconds: OWNER_LINK_SECONDS,
  })
}

/** For whoever starts the house and says so: a link for its first owner, signed in before or not. */
export async function freshOwnerLink(
  tx: Executor,
  houseId: HouseId,
): Promise<IssuedToken | undefined> {
  const [owner] = await tx.query<{ id: string }>(
    `select id from members where house_id = $1 and role = 'owner' and removed_at is null
       order by created_at limit 1`,
    [houseId],
  )
  return owner === undefined ? undefined : issueOwnerLink(tx, houseId, toActorId(owner.id))
}
