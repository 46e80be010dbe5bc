import type { Chance } from './chance.ts'
import type { SimulatedHouse } from './house.ts'
import type { Plan } from './plan.ts'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

export interface TroubleHands {
  /** Somebody says or changes something. */
  readonly deed: () => void
  readonly start: (worker: string) => Life
  /** A life has ended or stands still, and goes on. */
  readonly onSilent: (life: Life) => void
  readonly onResume: (life: Life) => void
}

export interface Troubles {
  /** Nothing more is said, and nothing goes wrong any more. */
  readonly over: boolean
  begin(hands: TroubleHands): void
  /** A life takes a step towards the database: what is to happen in the middle of things happens at one. */
  onStep(life: Life, operation: string): void
  /** A worker that runs and does not stand still. */
  someoneServes(): boolean
}

/** After so long a seed's deeds and troubles have all come, or will not come any more. */
const TROUBLED_MS = 45_000

/** By how much the database's clock is set at most. */
export const CLOCK_STEP_MS = 60_000

/** Where a thread changes hands or state: what happens just there is likelier to matter. */
const TURNING_POINTS = [
  'claim',
  'capture',
  'storeDecision',
  'closeDecision',
  'releaseIfQuiet',
  'releaseIfQuiet',
  'assistant',
  'toolResult',
  'toolEffect',
  'any',
] as const

type Trouble = (life: Life) => void

interface TroubleParts {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly plan: Plan
  readonly db: SimulatedHouse
}

/** Deeds, deaths, standstills and clocks, some at a time and some at a step of a worker. */
export function createTroubles({ timeline, chance, plan, db }: TroubleParts): Troubles {
  const lives = new Map<string, Life>()
  /** By operation, how many more of its steps pass before each. */
  const atStep = new Map<string, { left: number; readonly trouble: Trouble }[]>()
  let hands: TroubleHands | undefined
  let over = false

  function spread(count: number, trouble: (life: Life | undefined) => void): void {
    for (let at = 0; at < count; at += 1) {
      let isDue = true
      const once = (life: Life | undefined): void => {
        if (isDue && !over) trouble(life)
        isDue = false
      }
      const isSoon = chance.is(0.5)
      const ms = isSoon ? chance.between(0, 8_000) : chance.between(0, TROUBLED_MS - 5_000)
      // At a step of some worker, or when none has come to it by then.
      if (chance.is(0.6)) atTurningPoint(once)
      const run = (): void => once(chance.oneOf([...lives.values()]))
      timeline.in(ms, { what: 'trouble', run })
    }
  }

  function atTurningPoint(trouble: Trouble): void {
    const isAtTheEnd = plan.fickle && chance.is(0.6)
    const place = isAtTheEnd ? 'releaseIfQuiet' : chance.pick(TURNING_POINTS)
    const left = chance.between(1, place === 'any' ? 80 : 8)
    atStep.set(place, [...(atStep.get(place) ?? []), { left, trouble }])
  }

  function die(life: Life | undefined): void {
    if (life === undefined || !life.alive) return
    life.alive = false
    hands?.onSilent(life)
    const run = (): void => begin(life.name)
    timeline.in(chance.between(0, 20_000), { what: `${life.name} starts again`, run })
  }

  function begin(name: string): void {
    if (hands !== undefined) lives.set(name, hands.start(name))
  }

  function stall(life: Life | undefined): void {
    if (life === undefined || !life.alive) return
    const ms = chance.is(0.7) ? chance.between(8_000, 40_000) : chance.between(1, 8_000)
    life.stalledUntil = Math.max(life.stalledUntil, timeline.now + ms)
    hands?.onSilent(life)
    timeline.in(life.stalledUntil - timeline.now, {
      what: `${life.name} goes on`,
      run: () => life.alive && life.stalledUntil <= timeline.now && hands?.onResume(life),
    })
  }

  return {
    get over() {
      return over
    },
    begin(given) {
      hands = given
      for (let at = 1; at <= plan.workers; at += 1) begin(`w${at}`)
      timeline.in(0, { what: 'deed', run: given.deed })
      spread(plan.deeds, given.deed)
      spread(plan.crashes, die)
      spread(plan.stalls, stall)
      spread(plan.databaseClocks, () => {
        db.clockOffMs += chance.pick([CLOCK_STEP_MS, -CLOCK_STEP_MS, 5_000, -5_000])
      })
      const end = (): void => {
        over = true
        atStep.clear()
      }
      timeline.in(TROUBLED_MS, { what: 'the troubles end', run: end })
    },
    onStep(life, operation) {
      for (const waiting of [atStep.get(operation) ?? [], atStep.get('any') ?? []])
        for (const one of waiting) {
          one.left -= 1
          if (one.left === 0) one.trouble(life)
        }
    },
    someoneServes: () =>
      [...lives.values()].some(({ alive, stalledUntil }) => alive && stalledUntil <= timeline.now),
  }
}
