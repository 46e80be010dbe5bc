import type { Database } from '@arbe/core/db/executor'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

export const PLANT_NAMES = [
  'no-fence',
  'no-recovery',
  'no-rev-check',
  'no-re-arm',
  'late-wake',
  'spoken-since',
] as const
export type PlantName = (typeof PLANT_NAMES)[number]

/** A rule of arbe that is broken on purpose, so that a run shows that it would be missed. */
interface Plant {
  readonly says: string
  /** What only a crash loses is mended by the sweep, so it is off. */
  readonly sweep: 'on' | 'off'
  readonly sql: readonly SqlChange[]
  readonly source: readonly SourceChange[]
}

/** In the functions of the run's own database. */
interface SqlChange {
  readonly functions: readonly string[]
  readonly find: string
  readonly put: string
}

/** In a file as the processes load it; nothing on the disk is touched. */
export interface SourceChange {
  /** From the root of the repository. */
  readonly file: string
  readonly find: string
  readonly put: string
}

const HELD = 'd.fence = p_fence and d.lease_until > clock_timestamp()'
const THREAD = `key = 'thread:' || p_thread`

export const PLANTS: Readonly<Record<PlantName, Plant>> = {
  'no-fence': {
    says: 'what a worker writes is taken from it although another holds the thread',
    sweep: 'on',
    sql: [
      {
        functions: [
          'director_store_decision',
          'director_close',
          'director_turn_find',
          'director_release',
        ],
        find: HELD,
        put: 'true',
      },
      {
        functions: ['director_hand_back', 'director_back_off'],
        find: 'and fence = p_fence',
        put: '',
      },
    ],
    source: [],
  },
  'no-recovery': {
    says: 'a turn that was cut off is not taken up',
    sweep: 'on',
    sql: [],
    source: [
      {
        file: 'apps/backstage/src/thread-director-wake.ts',
        find: 'if (lastDecision === undefined || lastOutcome !== undefined) return undefined',
        put: 'if (lastDecision !== null) return undefined',
      },
    ],
  },
  'no-rev-check': {
    says: 'a thread is let go of although a wake came since the last look',
    sweep: 'off',
    sql: [{ functions: ['director_release'], find: 'and rev = p_rev', put: '' }],
    source: [],
  },
  'no-re-arm': {
    says: 'a claim takes the queue row away and does not leave one for the end of its lease',
    sweep: 'off',
    sql: [
      {
        functions: ['director_claim'],
        find: 'perform director_due(p_thread, v_d.lease_until)',
        put: `delete from dispatch where ${THREAD}`,
      },
    ],
    source: [],
  },
  'late-wake': {
    says: 'the wake of a message is not in the commit that stores it, but follows',
    sweep: 'off',
    sql: [
      {
        functions: ['append_entries'],
        find: 'from fresh where wakes order by thread',
        put: 'from fresh where false order by thread',
      },
    ],
    source: [
      {
        file: 'packages/core/streams/group-appender.ts',
        find: 'for (const [index, appended] of all.entries()) batch[index]?.answer.resolve(appended)',
        put: `for (const [index, appended] of all.entries()) batch[index]?.answer.resolve(appended)
    const wake = \`select wake_thread(e ->> 'threadId') from (select $1::jsonb as e) e where (e ->> 'wakes')::boolean\`
    for (const { json } of batch) await executor.query(wake, [json])`,
      },
    ],
  },
  'spoken-since': {
    says: 'a bot that has spoken after it was named counts as having answered',
    sweep: 'on',
    sql: [],
    source: [
      {
        file: 'packages/core/thread-director/thread-director-requests.ts',
        find: '.flatMap((entry) => openedBy(entry, capture, reading))',
        put: `.flatMap((entry) => openedBy(entry, capture, reading))
    .filter(({ bot, entry }) => !reading.range.some((later) => later.authorId === bot && later.seq > entry))`,
      },
    ],
  },
}

/** For the environment of each process. */
export function plantEnv(name: PlantName | undefined): Readonly<Record<string, string>> {
  if (name === undefined || PLANTS[name].source.length === 0) return {}
  const hook = pathToFileURL(join(import.meta.dirname, 'plant-hook.ts'))
  return { NODE_OPTIONS: `--import=${hook.href}?${name}` }
}

export async function plantInDatabase(db: Database, name: PlantName | undefined): Promise<void> {
  const plant = name && PLANTS[name]
  for (const { functions, find, put } of plant?.sql ?? [])
    for (const one of functions) {
      const [row] = await db.query<{ text: string }>(
        `select pg_get_functiondef(oid) as text from pg_proc where proname = $1`,
        [one],
      )
      await db.exec(replaceOnce(row?.text ?? '', find, put))
    }
}

/** What is no longer there cannot be broken: the plant is to be mended first. */
export function replaceOnce(text: string, find: string, put: string): string {
  if (text.split(find).length !== 2) throw new Error(`"${find}" is not there once`)
  return text.replace(find, () => put)
}
