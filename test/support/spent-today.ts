import type { HouseId } from '@arbe/sdk'
import type { Executor } from '../../packages/core/db/executor.ts'

/** What the bills of a house come to since midnight in UTC, in US dollars. */
export async function spentToday(executor: Executor, houseId: HouseId): Promise<number> {
  const [row] = await executor.query<{ billed: number }>(`select billed from ledger_today($1)`, [
    houseId,
  ])
  if (row === undefined) throw new Error('a sum without a group has one row')
  return row.billed
}
