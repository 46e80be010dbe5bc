import type { TriggerMode } from '@arbe/sdk'
import { createChance } from './chance.ts'
import type { HintFaults } from './live-hints.ts'
import type { NetworkFaults } from './network.ts'
import type { ModelHabits } from './scripted-model.ts'

/** What a seed's house is like and what may go wrong in it. Much of it is off in any one seed, so that the rest meets undisturbed. */
export interface Plan {
  readonly workers: number
  readonly threads: number
  readonly bots: number
  readonly people: number
  readonly mode: TriggerMode
  /** What modes are changed to. */
  readonly modes: readonly [TriggerMode, ...TriggerMode[]]
  readonly settings: {
    readonly banter: boolean
    readonly limitPerBot: number
    readonly limitPerThread: number
  }
  readonly turnsAtOnce: number
  readonly sweep: boolean
  /** What people and outsiders do. */
  readonly deeds: number
  /** People change settings more than they talk, and bots call each other up to their limits: what is owed waits for a setting. */
  readonly fickle: boolean
  readonly crashes: number
  readonly stalls: number
  /** The workers' clocks are hours apart. */
  readonly clocksApart: boolean
  /** Times that the database's clock is set, by up to a minute. */
  readonly databaseClocks: number
  /** How often the house's budget has no room for a call. */
  readonly broke: number
  readonly network: NetworkFaults
  readonly hints: HintFaults
  readonly habits: ModelHabits
}

export function planOf(seed: number, over: Partial<Plan> = {}): Plan {
  const chance = createChance(seed * 2 + 1)
  const some = (probability: number, most: number): number =>
    chance.is(probability) ? chance.between(1, most) : 0
  const share = (probability: number, most: number): number =>
    chance.is(probability) ? chance.next() * most : 0
  const fickle = chance.is(0.3)
  const isChatty = fickle || chance.is(0.3)
  return {
    workers: chance.between(2, 4),
    threads: chance.pick([1, 1, 1, 2, 3]),
    bots: fickle ? 3 : chance.pick([1, 2, 2, 3, 3]),
    people: chance.between(1, 2),
    mode: chance.pick(['auto', 'auto', 'always', 'mention']),
    modes: chance.is(0.2) ? ['auto', 'mention', 'never'] : ['auto', 'always', 'mention'],
    settings: {
      banter: chance.is(0.2),
      limitPerBot: fickle ? 1 : chance.pick([1, 2, 3]),
      limitPerThread: chance.pick([1, 2, 4, 8]),
    },
    turnsAtOnce: chance.pick([1, 2, 32]),
    sweep: chance.is(0.5),
    deeds: fickle ? chance.between(3, 8) : chance.between(6, 24),
    fickle,
    crashes: some(0.6, 5),
    stalls: some(0.6, 5),
    clocksApart: chance.is(0.5),
    databaseClocks: some(0.25, 2),
    broke: share(0.1, 0.5),
    network: { lost: share(0.3, 0.05), slow: share(0.4, 0.2), slowMs: chance.pick([300, 3_000]) },
    hints: { lost: share(0.5, 0.9), doubled: share(0.3, 0.5) },
    habits: {
      calls: share(0.7, 0.6),
      passes: share(0.4, 0.3),
      fails: share(0.3, 0.3),
      hangs: share(0.15, 0.1),
      mentions: isChatty ? 0.8 : share(0.6, 0.5),
    },
    ...over,
  }
}
