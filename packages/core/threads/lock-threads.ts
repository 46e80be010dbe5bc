import type { HouseId, ThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'

/** For a turn that writes into another thread and then into its own: in the order in which every writer takes several threads. */
export async function lockThreads(
  tx: Executor,
  houseId: HouseId,
  threads: readonly ThreadId[],
): Promise<void> {
  await tx.query(
    `select 1 from threads t where t.house_id = $1 and t.id = any($2::text[])
       order by t.id for no key update`,
    [houseId, threads],
  )
}
