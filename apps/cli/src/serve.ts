import { startBackstage } from '@arbe/backstage/start-backstage'
import { readConfig as readBackstageConfig } from '@arbe/backstage/config'
import { openDatabase } from '@arbe/core/db/open-db'
import { createModels } from '@arbe/core/models/models'
import { readModelsConfig } from '@arbe/core/models/models-config'
import { systemClock } from '@arbe/core/dispatch/clock'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import { openLiveTail } from '@arbe/core/streams/live-tail'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { readConfig as readWwwConfig } from '@arbe/www/config'
import { startWww } from '@arbe/www/start-www'

export type Part = 'www' | 'backstage'

export interface Serving {
  /** Undefined when this process serves no page. */
  readonly url: string | undefined
  readonly ownerLink: string | undefined
  readonly engine: 'pglite' | 'postgres'
  readonly where: string
  readonly demo: boolean
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Starts the named parts of a house in this process: both of them on one embedded database, or any on a server. */
export async function serve(
  env: Environment,
  parts: readonly Part[],
  onError: (error: unknown) => void,
): Promise<Serving> {
  const wwwConfig = readWwwConfig(env)
  const backstageConfig = readBackstageConfig(env)
  const models = await createModels(readModelsConfig(env), systemClock.sleep)
  const { databaseUrl, dataDir } = wwwConfig
  const closing = new AsyncDisposableStack()
  try {
    const db = await openDatabase(databaseUrl === undefined ? { dataDir } : { url: databaseUrl })
    closing.defer(() => db.close())
    const bus = await openLiveBus(db)
    closing.defer(() => bus.close())
    const store = createThreadDirectorStore(db, bus.appended)
    let www: Awaited<ReturnType<typeof startWww>> | undefined
    if (parts.includes('www')) {
      const tail = openLiveTail({ executor: db, bus, onError })
      closing.defer(() => tail.close())
      www = await startWww({
        ...{ db, bus, tail, models, onError },
        director: store,
        config: wwwConfig,
      })
      closing.defer(() => www?.close())
    }
    if (parts.includes('backstage')) {
      const backstage = startBackstage({
        ...{ db, bus, store, models, onError },
        config: backstageConfig,
      })
      closing.defer(() => backstage.close())
    }
    return {
      url: www?.url,
      ownerLink: www?.ownerLink,
      engine: db.engine,
      where: databaseUrl === undefined ? dataDir : 'DATABASE_URL',
      demo: models.find('')?.demo ?? true,
      close: () => closing.disposeAsync(),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}
