import { type ActorId, type HouseId, type TriggerMode, toThreadId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { wakeThread } from '../jobs/wake-thread.ts'

/**
 * When a bot may speak: its mode in the thread, else its own, else the house's. The database resolves it where a thread's roster is
 * read (`director_roster`), so that a decision and the page can never see two answers.
 */
export async function setAgentTriggerMode(
  tx: Executor,
  houseId: HouseId,
  change: { readonly botId: ActorId; readonly mode: TriggerMode | null },
): Promise<void> {
  await tx.query(`update agents set trigger_mode = $3 where house_id = $1 and id = $2`, [
    houseId,
    change.botId,
    change.mode,
  ])
  // By id, as every writer takes several threads.
  const inherits = await tx.query<{ thread_id: string }>(
    `select thread_id from thread_bots
     where house_id = $1 and bot_id = $2 and trigger_mode is null order by thread_id`,
    [houseId, change.botId],
  )
  for (const { thread_id } of inherits) await wakeThread(tx, toThreadId(thread_id))
}
