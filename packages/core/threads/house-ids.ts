import type { ActorId, HouseId } from '@arbe/sdk'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'

/** Refuses an id that is nobody of this house: what another house has is unknown here. */
export async function requirePeople(
  executor: Executor,
  houseId: HouseId,
  ids: readonly ActorId[],
): Promise<void> {
  const rows = await executor.query<{ id: ActorId }>(
    `select id from members where house_id = $1 and id = any($2::text[]) and removed_at is null`,
    [houseId, ids],
  )
  refuseMissing('person', ids, rows)
}

export async function requireBots(
  executor: Executor,
  houseId: HouseId,
  ids: readonly ActorId[],
): Promise<void> {
  const rows = await executor.query<{ id: ActorId }>(
    `select id from agents
     where house_id = $1 and id = any($2::text[]) and kind = 'bot' and removed_at is null`,
    [houseId, ids],
  )
  refuseMissing('bot', ids, rows)
}

function refuseMissing(
  what: 'person' | 'bot',
  ids: readonly ActorId[],
  found: readonly { readonly id: ActorId }[],
): void {
  const missing = ids.find((id) => found.every((row) => row.id !== id))
  if (missing !== undefined)
    throw new Refused('not_found', `The house has no ${what} "${missing}".`)
}
