import type { Entry, Offset } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'
import { entryColumns } from './entry-row.ts'
import { type Page, type ThreadRef, toPage } from './thread-stream.ts'

export interface Cursor extends ThreadRef {
  readonly after: Offset
}

/** The page after each cursor, in the order of the cursors, all in one round trip. */
export async function readCursors(
  executor: Executor,
  cursors: readonly Cursor[],
  limit: number,
): Promise<readonly Page[]> {
  const rows = await executor.query<Entry & { readonly cursor: number }>(
    `select c.n as cursor, e.*
      from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as c (house, thread, after, n)
      cross join lateral (
        select ${entryColumns} from entries
          where house_id = c.house and thread_id = c.thread and seq > c.after
          order by entries.seq limit $4
      ) e
      order by c.n, e.seq`,
    [
      cursors.map(({ houseId }) => houseId),
      cursors.map(({ threadId }) => threadId),
      cursors.map(({ after }) => after),
      limit,
    ],
  )
  const pages: Entry[][] = cursors.map(() => [])
  for (const { cursor, ...entry } of rows) pages[cursor - 1]?.push(entry)
  return cursors.map(({ after }, index) => {
    const entries = pages[index] ?? []
    return toPage(entries, entries.at(-1)?.seq ?? after)
  })
}
