import type { ActorId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'

// One clock reading would leave their order to chance; they stand in the order in which they were named.
const INSERT = `
  insert into thread_bots (house_id, thread_id, bot_id, trigger_mode, added_at)
  select $1, $2, bot.id, case when bot.id = any($4::text[]) then 'always' end,
    statement_timestamp() + bot.n * interval '1 microsecond'
  from unnest($3::text[]) with ordinality as bot (id, n)`

export async function insertBots(
  tx: Executor,
  { houseId, threadId }: ThreadRef,
  { bots, always }: { readonly bots: readonly ActorId[]; readonly always: readonly ActorId[] },
): Promise<void> {
  if (bots.length > 0) await tx.query(INSERT, [houseId, threadId, bots, always])
}
