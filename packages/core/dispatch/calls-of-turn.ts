import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import type { ToolContext } from './tool.ts'

const DONE = `
  select count(*)::int as done from entries
    where thread_id = $1 and caused_by = $2 and kind = 'pi.tool_result'
      and body ->> 'tool' = $3 and body ->> 'isError' = 'false'`

/** Refuses a call of which the turn has had its share; counted in the stream, so that a turn taken up again counts on. */
export async function requireFewer(
  executor: Executor,
  { threadId, decision }: ToolContext,
  { tool, most }: { readonly tool: string; readonly most: number },
): Promise<void> {
  const [row] = await executor.query<{ done: number }>(DONE, [threadId, decision, tool])
  if ((row?.done ?? 0) >= most)
    throw new Refused('forbidden', `${tool} is done ${most} times a turn at most.`)
}
