export interface SeededRandom {
  /** At least 0 and below 1. */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  chance(share: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Goes on by itself from here: what others draw does not change it. */
  fork(name: string): SeededRandom
}

/** The same numbers for the same seed, on every machine. */
export function seededRandom(seed: number | string): SeededRandom {
  let state = hashOf(String(seed))
  const next = (): number => {
    // Mulberry32: 32 bits of state are enough to choose faults by.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick(items) {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
