import type { Chance } from './chance.ts'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

export interface NetworkFaults {
  /** A request or its answer gets lost, and the caller is told that the connection is. */
  readonly lost: number
  /** A round trip takes up to `slowMs`. */
  readonly slow: number
  readonly slowMs: number
}

export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

export type Step = (operation: string, when: 'before' | 'after') => Promise<void>

export interface NetworkParts {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly faults: () => NetworkFaults
  /** Told of each step, which may be the last one of this life. */
  readonly onStep: (life: Life, operation: string) => void
}

/**
 * The way of one life to the database and back. What was sent arrives also when its sender has died meanwhile; the answer then
 * reaches nobody.
 */
export function wayOf(life: Life, { timeline, chance, faults, onStep }: NetworkParts): Step {
  function delay(): number {
    const { slow, slowMs } = faults()
    return chance.is(slow) ? chance.between(5, slowMs) : chance.between(0, 3)
  }

  async function lose(operation: string, what: string): Promise<never> {
    await timeline.pause(delay(), `${operation}: ${what} lost`, life)
    throw new ConnectionLost(`${operation}: the connection is lost`)
  }

  return async (operation, when) => {
    onStep(life, operation)
    if (!life.alive) await timeline.pause(0, 'dead', life)
    const isLost = chance.is(faults().lost)
    if (when === 'before') {
      if (isLost) await lose(operation, 'request')
      await timeline.pause(delay(), operation)
      return
    }
    if (isLost) await lose(operation, 'answer')
    await timeline.pause(delay(), `${operation} done`, life)
  }
}
