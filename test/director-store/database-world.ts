import { toActorId, toHouseId, toThreadId, type Entry, type ThreadId } from '@arbe/sdk'
import type { Database } from '../../packages/core/db/executor.ts'
import { entryColumns } from '../../packages/core/streams/entry-row.ts'
import type { EntryDraft } from '../../packages/core/streams/entry-draft.ts'
import { appendEntry } from '../../packages/core/streams/thread-stream.ts'
import { createThreadDirectorStore } from '../../packages/core/thread-director/thread-director-store.ts'
import { createTurnStore } from '../../packages/core/thread-director/turn-store.ts'
import { wakeThread } from '../../packages/core/jobs/wake-thread.ts'
import type { DirectorRow, DirectorWorld } from './world.ts'

const houseId = toHouseId('hse_1')

export async function createHouse(db: Database): Promise<void> {
  await db.query(`insert into houses (id, name) values ('hse_1', 'House')`)
  await db.query(`
    insert into members (house_id, id, name, handle, handle_key, role)
      values ('hse_1', 'usr_mia', 'Mia', 'mia', 'mia', 'owner')`)
  await db.query(`
    insert into agents (house_id, id, kind, name, handle, handle_key)
      select 'hse_1', 'agt_' || h, 'bot', h, h, h from unnest(array['ann', 'coder']) h`)
}

let made = 0

export function databaseWorld(db: Database): DirectorWorld {
  const turns = createTurnStore(db)

  async function append(draft: Pick<EntryDraft, 'threadId'> & Partial<EntryDraft>) {
    made += 1
    const appended = await appendEntry(db, {
      houseId,
      key: `pat:test:${made}`,
      authorId: toActorId('usr_mia'),
      authorKind: 'person',
      wakes: true,
      readable: true,
      ...draft,
    } as EntryDraft)
    if (appended.status !== 'ok') throw new Error(appended.status)
    return appended.seq
  }

  const run = async (sql: string, ...params: unknown[]): Promise<void> => {
    await db.query(sql, params)
  }

  return {
    store: createThreadDirectorStore(db, () => undefined),
    turns,
    turnWrites: (lease, decision) => turns.writes({ lease, decision }, () => undefined),
    async newThread() {
      made += 1
      const id = `thr_${made}`
      await run(
        `insert into threads (house_id, id, created_by) values ('hse_1', $1, 'usr_mia')`,
        id,
      )
      await run(`insert into thread_people values ('hse_1', $1, 'usr_mia')`, id)
      await run(
        `insert into thread_bots (house_id, thread_id, bot_id, added_at)
          values ('hse_1', $1, 'agt_ann', now()), ('hse_1', $1, 'agt_coder', now())`,
        id,
      )
      return toThreadId(id)
    },
    say: (threadId, { text = 'hello', key, author, wakes = true, mentions = [], replyTo } = {}) =>
      append({
        threadId,
        kind: 'chat',
        wakes,
        ...(key !== undefined && { key: `pat:usr_mia:${key}` }),
        ...(author !== undefined && { authorId: author, authorKind: 'bot' }),
        body: { text, mentions: [...mentions], replyTo },
      }),
    change: (threadId, { kind, ...body }) =>
      append({ threadId, kind, wakes: false, body } as Parameters<typeof append>[0]),
    entries: (threadId) =>
      db.query<Entry>(
        `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
        [threadId],
      ),
    mute: (id, bot) =>
      run(`update thread_bots set muted = true where thread_id = $1 and bot_id = $2`, id, bot),
    muteFor: (id, bot, ms) =>
      run(
        `update thread_bots set muted = true, muted_until = clock_timestamp() + $3 * interval '1 ms'
          where thread_id = $1 and bot_id = $2`,
        id,
        bot,
        ms,
      ),
    setMode: (id, bot) =>
      run(
        `update thread_bots set trigger_mode = 'never' where thread_id = $1 and bot_id = $2`,
        id,
        bot,
      ),
    setLimit: (id) => run(`update threads set limit_per_bot = 1 where id = $1`, id),
    removeBot: (id, bot) =>
      run(`delete from thread_bots where thread_id = $1 and bot_id = $2`, id, bot),
    rename: (id) => run(`update threads set title = title || 'New' where id = $1`, id),
    async deleteThread(id) {
      await run(`delete from entries where thread_id = $1`, id)
      await run(`delete from threads where id = $1`, id)
    },
    wake: (id) => wakeThread(db, id),
    async queueRow(id) {
      const [row] = await db.query<{ rev: number; waitMs: number }>(
        `select rev, (extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as "waitMs"
          from dispatch where key = 'thread:' || $1`,
        [id],
      )
      return row
    },
    dropQueueRow: (id) => run(`delete from dispatch where key = 'thread:' || $1`, id),
    row: (id) => readRow(db, id),
    dropRow: (id) => run(`delete from thread_directors where thread_id = $1`, id),
    async pass(id) {
      await run(
        `update thread_directors set lease_until = clock_timestamp() - interval '1 ms', retry_at = null
          where thread_id = $1`,
        id,
      )
      await run(`update dispatch set run_at = clock_timestamp() where key = 'thread:' || $1`, id)
    },
  }
}

async function readRow(db: Database, id: ThreadId): Promise<DirectorRow> {
  const [row] = await db.query<DirectorRow>(
    `select decided_offset as "decidedOffset", d, attempts,
        coalesce(lease_until > clock_timestamp(), false) as held, last_decision as "lastDecision"
      from thread_directors where thread_id = $1`,
    [id],
  )
  if (row === undefined) throw new Error(`no row for ${id}`)
  return { ...row, lastDecision: row.lastDecision ?? undefined }
}
