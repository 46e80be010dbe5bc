import type { ArbeClient } from '@arbe/sdk/client'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { startCluster } from './support/cluster.ts'
import { requireOrSkip } from './support/require.ts'
import type { RunningArbe } from './support/run-arbe.ts'
import { type Script, startScriptedProvider } from './support/scripted-provider.ts'
import { untilQuiet } from './support/until-quiet.ts'

const THREADS = 50
const BUDGET = 12

// An answer of a dollar and a question of five cents, all of it reserved before: sixty of them would be asked for.
const PRICE = { inputPrice: 100, outputPrice: 1_000, maxOutput: 1_000 }
const USAGE = { input: 500, output: 1_000 }
const CALL_COST = 1.05

describe.skipIf(requireOrSkip('postgres'))('a house with a budget of the day', () => {
  test(
    '[R-42][I9] is not brought beyond it by fifty threads on three workers, two of which are killed in a call',
    { timeout: 180_000 },
    async () => {
      await using provider = await startScriptedProvider(decisive)
      const settings = { ARBE_LEASE_MS: '4000', ARBE_QUIET_MS: '0' }
      const env = { ...pricedEnv(provider.openaiBaseUrl), ...settings }
      await using cluster = await startCluster(['Mia'], env, { workers: 3 })
      const { db, workers, people } = cluster
      await db.query('update houses set budget_per_day = $1', [BUDGET])
      const [[mia] = []] = people
      if (mia === undefined) throw new Error('nobody is there')

      const posting = askEverywhere(mia)
      for (const worker of workers.slice(0, 2)) await killInCall(db, worker)
      await posting
      await untilQuiet(db, 90_000)

      const { billed, reserved, mostReserved } = await readBooks(db)
      // What the provider would bill: every request, also those of the killed.
      const bill = provider.calls * CALL_COST
      console.log(`${provider.calls} calls: $${bill}; billed $${billed}, lost $${reserved}`)
      expect(bill).toBeLessThan(BUDGET + mostReserved)
      expect(billed + reserved).toBeLessThan(BUDGET + mostReserved)
      expect(billed + reserved).toBeGreaterThan(BUDGET - mostReserved)
      expect(reserved).toBeGreaterThan(CALL_COST)
      expect(mostReserved).toBeLessThan(2 * CALL_COST)
      const told = await readTold(db)
      expect(told.get('budget_spent') ?? 0).toBeGreaterThan(THREADS / 2)
    },
  )
})

const decisive: Script = ({ tools }) =>
  tools.includes('decide')
    ? {
        delayMs: 500,
        usage: USAGE,
        toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'it can' } }],
      }
    : { delayMs: 500, usage: USAGE, text: 'Here.' }

function pricedEnv(baseUrl: string): Readonly<Record<string, string>> {
  const models = [{ id: 'm', ...PRICE }]
  const provider = { name: 'scripted', kind: 'openai', baseUrl, apiKey: 'a-key', models }
  return { ARBE_PROVIDERS: JSON.stringify([provider]) }
}

async function askEverywhere(client: ArbeClient): Promise<void> {
  const bots = (await client.bots.list()).bots.map(({ id }) => id)
  const extra = await client.bots.create({ name: 'Kim' })
  for (let number = 0; number < THREADS; number += 1) {
    const { id } = await client.threads.create({ bots: [...bots, extra.id] })
    await client.threads.append(id, { kind: 'chat', text: 'who can read a tide table?' })
  }
}

/** As soon as the books know of a call of this worker and not of its bill. */
async function killInCall(db: Database, { child, ended }: RunningArbe): Promise<void> {
  const inCall = `
    select 1 from thread_directors d join ledger l on l.thread_id = d.thread_id
      where d.holder like $1 and d.lease_until is not null and l.settled_at is null`
  while ((await db.query(inCall, [`%:${child.pid}:%`])).length === 0) await setTimeout(5)
  child.kill('SIGKILL')
  await ended
}

interface BooksSum {
  readonly billed: number
  /** By calls whose bill never came. */
  readonly reserved: number
  readonly mostReserved: number
}

async function readBooks(db: Database): Promise<BooksSum> {
  const [sum] = await db.query<BooksSum>(`
    select sum(cost)::float8 as billed, max(reserved) as "mostReserved",
        coalesce(sum(reserved) filter (where settled_at is null), 0)::float8 as reserved
      from ledger`)
  if (sum === undefined) throw new Error('a sum without a group has one row')
  return sum
}

/** How often each rule closed a range, of decisions that asked nobody. */
async function readTold(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ rule: string; n: number }>(`
    select body ->> 'rule' as rule, count(*)::int as n from entries
      where kind = 'signal.thread_director.decision' and body ->> 'rule' is not null group by 1`)
  return new Map(rows.map(({ rule, n }) => [rule, n]))
}
