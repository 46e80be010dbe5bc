import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mutations } from './simulation/mutations.ts'
import { simulate, type SimulateOptions, type Simulated } from './simulation/simulate.ts'

// Whole houses on virtual time: see docs/reliability.md.

const SEEDS = 5_000
const LONGEST = 15 * 60_000

async function* housesOf(seeds: number, options: SimulateOptions = {}) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    yield { seed, ...(await simulate(seed, options)) }
    // Who runs the tests wants to hear of them.
    if (seed % 20 === 0) await setImmediate()
  }
}

/** Lives through so many houses; each failure says how to see it again. */
async function liveThrough(seeds: number, options?: SimulateOptions) {
  const sum = { turns: 0, interruptions: 0, broken: [] as string[] }
  for await (const { seed, found, turns, interruptions } of housesOf(seeds, options)) {
    sum.turns += turns
    sum.interruptions += interruptions
    if (found.length > 0) sum.broken.push(`SEED=${seed} npm run simulate: ${found.join('; ')}`)
    if (sum.broken.length > 4) break
  }
  return sum
}

test(
  '[R-57] [P-3] 5,000 houses keep every promise, whatever dies, stalls and gets lost in them',
  async () => {
    const { broken, turns } = await liveThrough(SEEDS)
    expect(broken).toEqual([])
    expect(turns).toBeGreaterThan(2 * SEEDS)
  },
  LONGEST,
)

test('[R-57] a seed replays to the same events, and another one to others', async () => {
  const hashes = async (): Promise<readonly string[]> => {
    const all: string[] = []
    for await (const { hash, events } of housesOf(40)) all.push(`${hash} ${events}`)
    return all
  }
  const once = await hashes()
  expect(await hashes()).toEqual(once)
  expect(new Set(once).size).toBe(40)
})

test.each(Object.entries(mutations))(
  '[R-58] it is noticed within 2,000 houses: %s',
  async (_, mutation) => {
    let noticed: readonly string[] = []
    for await (const { found } of housesOf(2_000, { mutation })) {
      noticed = found
      if (noticed.length > 0) break
    }
    expect(noticed).not.toEqual([])
  },
  LONGEST,
)

test(
  '[R-17] workers whose clocks are an hour off do exactly what they would have done',
  async () => {
    const lived = async (clocksApart: boolean): Promise<readonly Simulated[]> => {
      const all: Simulated[] = []
      for await (const house of housesOf(300, { plan: { clocksApart } })) all.push(house)
      return all
    }
    expect(await lived(true)).toEqual(await lived(false))
  },
  LONGEST,
)

test(
  '[R-18] the database’s clock may be set by a minute, again and again',
  async () => {
    expect((await liveThrough(500, { plan: { databaseClocks: 4 } })).broken).toEqual([])
  },
  LONGEST,
)

test(
  '[R-36] what arrives during a turn is not in its context, and the next decision covers it',
  async () => {
    const plan = { threads: 1, deeds: 24, crashes: 0, stalls: 0, fickle: false }
    const { broken, interruptions } = await liveThrough(500, { plan })
    expect(broken).toEqual([])
    expect(interruptions).toBeGreaterThan(500)
  },
  LONGEST,
)

test(
  '[P-2] two directors on one thread keep it whole, whatever comes between their steps',
  async () => {
    const plan = { workers: 2, threads: 1, hints: { lost: 0, doubled: 0.5 } }
    expect((await liveThrough(500, { plan })).broken).toEqual([])
  },
  LONGEST,
)
