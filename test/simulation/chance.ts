/** All chance of a simulation: the same seed gives the same numbers. */
export interface Chance {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  is(probability: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  oneOf<Item>(items: readonly Item[]): Item | undefined
}

export function createChance(seed: number): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0

  // mulberry32: one multiplication a number, and good enough to choose by.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    between: (least, most) => least + below(most - least + 1),
    is: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
    oneOf: (items) => items[below(items.length)],
  }
}
