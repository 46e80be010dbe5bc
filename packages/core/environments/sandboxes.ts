import type { HouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { lockEnvironment } from './environments.ts'

export interface BoxRow {
  readonly provider: string
  /** What the provider calls it. */
  readonly ref: string
}

export async function boxOfEnvironment(
  executor: Executor,
  houseId: HouseId,
  environmentId: string,
): Promise<BoxRow | undefined> {
  const [row] = await executor.query<BoxRow>(
    `select provider, ref from sandboxes where house_id = $1 and environment_id = $2`,
    [houseId, environmentId],
  )
  return row
}

/** False: another start was faster, and its box is the environment's. */
export async function keepBox(
  tx: Executor,
  houseId: HouseId,
  { environmentId, box }: { readonly environmentId: string; readonly box: BoxRow },
): Promise<boolean> {
  await lockEnvironment(tx, houseId, environmentId)
  const kept = await tx.query(
    `insert into sandboxes (house_id, environment_id, provider, ref) values ($1, $2, $3, $4)
       on conflict do nothing returning ref`,
    [houseId, environmentId, box.provider, box.ref],
  )
  return kept.length > 0
}

export async function forgetBox(executor: Executor, houseId: HouseId, box: BoxRow): Promise<void> {
  await executor.query(`delete from sandboxes where house_id = $1 and provider = $2 and ref = $3`, [
    houseId,
    box.provider,
    box.ref,
  ])
}
