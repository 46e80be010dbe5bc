import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { seededRandom } from '../../test/support/seeded-random.ts'
import type { ChaosThread } from './chaos-load.ts'
import { insist } from './insist.ts'

export interface ThreadLogs {
  readonly of: ReadonlyMap<string, readonly Entry[]>
  /** Reads what came since. */
  readOn(): Promise<void>
  /** Reads everything again, from another server: what no longer is as it was. */
  differing(): Promise<readonly string[]>
}

/** The streams of the house, as a reader has them. */
export function threadLogs(
  readers: readonly ArbeClient[],
  threads: readonly ChaosThread[],
): ThreadLogs {
  const of = new Map<string, Entry[]>(threads.map(({ id }) => [id, []]))
  const [first] = readers
  const last = readers.at(-1)
  return {
    of,
    async readOn() {
      for (const [id, known] of of) known.push(...(await readFrom(first, id, known.length)))
    },
    async differing() {
      const found: string[] = []
      for (const [id, known] of of) {
        const now = await readFrom(last, id, 0)
        if (JSON.stringify(now) !== JSON.stringify(known))
          found.push(`I5: ${id} reads otherwise than before`)
      }
      return found
    },
  }
}

const waits = seededRandom('read')

async function readFrom(
  client: ArbeClient | undefined,
  id: string,
  from: number,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let more = client !== undefined; more;) {
    const where = { after: from + entries.length, limit: 200 }
    // A page server may still be on its way back.
    const page = await insist(waits, async () => client?.threads.entries(id, where))
    entries.push(...(page?.entries ?? []))
    more = page?.more ?? false
  }
  return entries
}
