import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import { handleSkeleton } from '@arbe/sdk/handles'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'

/** Ids of those who are named by their id or by their handle, with or without the `@`. */
export async function idsOfNamed(
  executor: Executor,
  houseId: HouseId,
  named: readonly string[],
): Promise<readonly ActorId[]> {
  const keys = named.map((name) => handleSkeleton(name.replace(/^@/, '')))
  const rows = await executor.query<{ key: string; id: ActorId }>(
    `select handle_key as key, owner_id as id from handles where house_id = $1 and handle_key = any($2::text[])`,
    [houseId, keys],
  )
  const byKey = new Map(rows.map(({ key, id }) => [key, id]))
  return named.map((name, at) => {
    if (/^(agt|usr)_/.test(name)) return toActorId(name)
    const id = byKey.get(keys[at] ?? '')
    if (id === undefined) throw new Refused('not_found', `The house has nobody called "${name}".`)
    return id
  })
}
