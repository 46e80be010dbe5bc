import type { PlantName } from './plants.ts'

export const FAULT_KINDS = ['kill', 'stop', 'postgres', 'backend', 'proxy'] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** What one run is to do. */
export interface ChaosOrder {
  readonly seed: number
  /** How long there are faults, all rounds together. */
  readonly forMs: number
  /** After so long the faults end, the house comes to rest and everything is checked; then it goes on. */
  readonly roundMs: number
  /** How long the house may take to come to rest: lease, sweep and back-off together. */
  readonly restMs: number
  readonly engine: 'postgres' | 'pglite'
  readonly workers: number
  readonly pages: number
  readonly threads: number
  readonly bots: number
  readonly leaseMs: number
  readonly modelIdleMs: number
  readonly sweepMs: number | 'off'
  readonly faults: readonly FaultKind[]
  /** Milliseconds from one kill to the next, the shortest and the longest. */
  readonly every: readonly [number, number]
  /** A rule of arbe is broken on purpose: the run is to find it. */
  readonly plant: PlantName | undefined
  /** For the logs of the processes. */
  readonly folder: string
}

export interface ChaosReport {
  readonly figures: Readonly<Record<string, number>>
  /** What does not hold; empty when everything does. */
  readonly broken: readonly string[]
}
