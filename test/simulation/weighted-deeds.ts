import type { ThreadId } from '@arbe/sdk'
import type { Chance } from './chance.ts'

export type Deed = (threadId: ThreadId) => void
export type Weighted = readonly (readonly [weight: number, deed: Deed])[]

/** The heavier a deed, the likelier it is done. */
export function deedOf(chance: Chance, deeds: Weighted): Deed {
  let at = chance.next() * deeds.reduce((sum, [weight]) => sum + weight, 0)
  const chosen = deeds.find(([weight]) => (at -= weight) < 0)
  return chosen?.[1] ?? (() => undefined)
}
