import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import { newId } from '../access/new-id.ts'
import type { Executor } from '../db/executor.ts'

const NAME = 'arbe'

/** The one agent that speaks for the house itself: it signs what nobody in particular says, and is never chosen to speak. */
export async function ensureHouseSystemAgent(
  executor: Executor,
  houseId: HouseId,
): Promise<ActorId> {
  await executor.query(
    `with agent as (
       insert into agents (house_id, id, kind, name, handle, handle_key)
       values ($1, $2, 'system', $3, $3, $3)
       on conflict (house_id) where kind = 'system' do nothing
       returning house_id, handle_key, id, handle
     )
     insert into handles (house_id, handle_key, owner_id, handle) select * from agent on conflict do nothing`,
    [houseId, newId('agt'), NAME],
  )
  const [row] = await executor.query<{ id: string }>(
    `select id from agents where house_id = $1 and kind = 'system'`,
    [houseId],
  )
  if (row === undefined) throw new Error(`house ${houseId} has no system agent`)
  return toActorId(row.id)
}
