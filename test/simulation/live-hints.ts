import type { BusListener, LiveBus } from '../../packages/core/streams/live-bus.ts'
import type { Chance } from './chance.ts'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

export interface HintFaults {
  readonly lost: number
  readonly doubled: number
}

export interface LiveHints {
  /** The bus as one life, or a page server, has it. */
  busOf(life: Life | undefined): LiveBus
}

/** What every process is told of, some of it twice and some of it never. */
export function createLiveHints(timeline: Timeline, chance: Chance, faults: HintFaults): LiveHints {
  const listeners = new Set<{ readonly life: Life; readonly listener: BusListener }>()

  function tell(what: string, told: (listener: BusListener) => void): void {
    for (const one of listeners) {
      if (!one.life.alive) {
        listeners.delete(one)
        continue
      }
      if (chance.is(faults.lost)) continue
      for (const _ of chance.is(faults.doubled) ? [1, 2] : [1]) {
        const run = (): void => told(one.listener)
        timeline.in(chance.between(0, 20), { what, owner: one.life, run })
      }
    }
  }

  return {
    busOf: (life) => ({
      appended(hint) {
        if (hint.wakes) tell('hint', (listener) => listener.onAppended?.(hint, 'elsewhere'))
      },
      publish(event) {
        // Nobody watches: only a stop has an effect.
        if (event.type === 'stop') tell('stop hint', (listener) => listener.onEvent?.(event))
      },
      listen(listener) {
        const one = life === undefined ? undefined : { life, listener }
        if (one !== undefined) listeners.add(one)
        return () => one !== undefined && listeners.delete(one)
      },
      close: async () => undefined,
    }),
  }
}
