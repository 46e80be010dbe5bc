export interface Rate {
  readonly perSecond: number
  /** How many may come at once after a pause. */
  readonly burst: number
}

interface Bucket {
  readonly level: number
  readonly at: number
}

const BUCKETS_MAX = 10_000

/** Counts in this process alone: a guard against one who floods, no exact quota. */
export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
  }

  /** False: too many came under this key. */
  take(key: string): boolean {
    const { perSecond, burst } = this.#rate
    const at = this.#now()
    const last = this.#buckets.get(key) ?? { level: burst, at }
    const level = Math.min(burst, last.level + ((at - last.at) / 1_000) * perSecond)
    // Last in the map is newest: the oldest ones are the first to be forgotten.
    this.#buckets.delete(key)
    this.#buckets.set(key, { level: level < 1 ? level : level - 1, at })
    if (this.#buckets.size > BUCKETS_MAX) this.#forgetOldest()
    return level >= 1
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
