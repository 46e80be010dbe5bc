import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { Weather } from '../../test/support/tcp-proxy.ts'

/** What befalls each new connection. */
export interface Weathers {
  readonly front: () => Weather
  readonly database: () => Weather
  readonly provider: () => Weather
}

/** Some connections, drawn by the seed, are slow, cut off or swallowed while `isBad`. */
export function weathersOf(random: SeededRandom, isBad: () => boolean): Weathers {
  const drawn = (name: string, share: number, ways: readonly Draw[]): (() => Weather) => {
    const own = random.fork(name)
    return () => (isBad() && own.chance(share) ? own.pick(ways)(own) : { kind: 'fair' })
  }
  return {
    front: drawn('front', 0.3, [slow, cutReply, cutRequest, eatReply]),
    database: drawn('database', 0.15, [slow, cutReply, cutRequest, swallow]),
    provider: drawn('provider', 0.1, [slow, cutReply, eatReply]),
  }
}

export const fairWeather: Weathers = {
  front: () => ({ kind: 'fair' }),
  database: () => ({ kind: 'fair' }),
  provider: () => ({ kind: 'fair' }),
}

type Draw = (random: SeededRandom) => Weather

const slow: Draw = (random) => ({ kind: 'slow', ms: random.between(1, 30) })
const cutReply: Draw = (random) => cut('reply', random.between(0, 5_000))
const cutRequest: Draw = (random) => cut('request', random.between(0, 20_000))
const eatReply: Draw = () => cut('reply', 0)
const swallow: Draw = () => ({ kind: 'swallow' })

function cut(way: 'request' | 'reply', after: number): Weather {
  return { kind: 'cut', way, after }
}
