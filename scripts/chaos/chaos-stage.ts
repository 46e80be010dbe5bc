import { type SeededRandom, seededRandom } from '../../test/support/seeded-random.ts'
import { arrangeScene } from './arrange-scene.ts'
import { type ChaosHouse, startChaosHouse } from './chaos-house.ts'
import { type ChaosLoad, chaosLoad, type ChaosThread } from './chaos-load.ts'
import type { ChaosOrder } from './chaos-order.ts'
import { type ChaosProvider, startChaosProvider } from './chaos-provider.ts'
import { weathersOf } from './weathers.ts'
import { type ThreadLogs, threadLogs } from './thread-logs.ts'
import { type LiveWatch, watchLive } from './watch-live.ts'

/** All that stands when a storm begins: the house, its people and threads, its model, and who watches. */
export interface ChaosStage extends AsyncDisposable {
  readonly order: ChaosOrder
  readonly random: SeededRandom
  readonly house: ChaosHouse
  readonly provider: ChaosProvider
  readonly threads: readonly ChaosThread[]
  readonly load: ChaosLoad
  readonly logs: ThreadLogs
  readonly live: LiveWatch
  /** Networks and the provider are well, or they are not. */
  beCalm(isCalm: boolean): void
}

export async function setStage(order: ChaosOrder): Promise<ChaosStage> {
  await using building = new AsyncDisposableStack()
  const random = seededRandom(order.seed)
  let isBad = false
  const weathers = weathersOf(random, () => isBad && order.faults.includes('proxy'))
  const provider = building.use(await startChaosProvider(random.fork('provider')))
  const providerPort = provider.port
  const house = building.use(await startChaosHouse(order, { providerPort, weathers }))
  const { threads, bots } = await arrangeScene(house.readers, order)
  const logs = threadLogs(house.readers, threads)
  const live = building.use(await watchLive(house.watchers, logs))
  const built = building.move()
  return {
    order,
    random,
    house,
    provider,
    threads,
    live,
    load: chaosLoad({ people: house.people, threads, bots, random: random.fork('load') }),
    logs,
    beCalm(isCalm) {
      isBad = !isCalm
      provider.beCalm(isCalm)
    },
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  }
}
