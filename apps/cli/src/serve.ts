import { startBackstage } from '@arbe/backstage/start-backstage'
import {
  ConfigError as BackstageConfigError,
  readConfig as readBackstageConfig,
} from '@arbe/backstage/config'
import { findFirstHouse, freshOwnerLink } from '@arbe/core/access/houses'
import type { Database } from '@arbe/core/db/executor'
import { openDatabase } from '@arbe/core/db/open-db'
import { createModels } from '@arbe/core/models/models'
import { ModelsConfigError, readModelsConfig } from '@arbe/core/models/models-config'
import type { SandboxRuntimes } from '@arbe/core/dispatch/sandbox'
import { systemClock } from '@arbe/core/dispatch/clock'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import { openLiveTail } from '@arbe/core/streams/live-tail'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { localRuntime } from '@arbe/sandbox/local-runtime'
import { join } from 'node:path'
import { buildWebPage, isWebPageBuilt } from '@arbe/www/build-web-page'
import {
  ConfigError as WwwConfigError,
  isLoopback,
  readConfig as readWwwConfig,
} from '@arbe/www/config'
import { startWww } from '@arbe/www/start-www'

// The one file of the command line that may reach into the other apps.
export { buildWebPage, isLoopback, isWebPageBuilt, readBackstageConfig, readWwwConfig }

export type Part = 'www' | 'backstage'

export interface Serving {
  /** Undefined when this process serves no page. */
  readonly url: string | undefined
  readonly ownerLink: string | undefined
  readonly engine: 'pglite' | 'postgres'
  readonly where: string
  readonly demo: boolean
  /** How long `close` may take when everything answers. */
  readonly closesWithinMs: number
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export interface ServeOptions {
  readonly parts: readonly Part[]
  /** Makes a fresh one-time link for the owner. */
  readonly ownerLink?: boolean
  readonly onError: (error: unknown) => void
}

/** Starts the named parts of a house in this process: both of them on one embedded database, or any on a server. */
export async function serve(
  env: Environment,
  { parts, ownerLink = false, onError }: ServeOptions,
): Promise<Serving> {
  const wwwConfig = readWwwConfig(env)
  const backstageConfig = readBackstageConfig(env)
  const models = await createModels(readModelsConfig(env), (ms, signal) =>
    systemClock.sleep(ms, signal),
  )
  const { databaseUrl, dataDir } = wwwConfig
  const runtimes = runtimesIn(dataDir)
  const closing = new AsyncDisposableStack()
  try {
    const db = await openDatabase(databaseUrl === undefined ? { dataDir } : { url: databaseUrl })
    closing.defer(() => db.close())
    const bus = await openLiveBus(db)
    closing.defer(() => bus.close())
    const store = createThreadDirectorStore(db, (hint) => bus.appended(hint))
    let www: Awaited<ReturnType<typeof startWww>> | undefined
    if (parts.includes('www')) {
      const tail = openLiveTail({ executor: db, bus, onError })
      closing.defer(() => tail.close())
      www = await startWww({
        db,
        bus,
        tail,
        models,
        runtimes,
        onError,
        director: store,
        config: wwwConfig,
      })
      closing.defer(() => www?.close())
    }
    if (parts.includes('backstage')) {
      const backstage = startBackstage({
        db,
        bus,
        store,
        models,
        runtimes,
        onError,
        config: backstageConfig,
      })
      closing.defer(() => backstage.close())
    }
    return {
      url: www?.url,
      ownerLink: ownerLink && www !== undefined ? await linkFor(db, www.url) : www?.ownerLink,
      engine: db.engine,
      where: databaseUrl === undefined ? dataDir : 'DATABASE_URL',
      demo: models.find('')?.demo ?? true,
      closesWithinMs: backstageConfig.shutdownMs + LAST_ANSWERS_MS,
      close: () => closing.disposeAsync(),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** For the page's last answers and the database, once nothing runs any more. */
const LAST_ANSWERS_MS = 5_000

function runtimesIn(dataDir: string): SandboxRuntimes {
  const local = localRuntime({ root: join(dataDir, 'boxes') })
  return new Map([[local.name, local]])
}

/** A setting cannot be used; its message names it. */
export function isConfigError(error: unknown): error is Error {
  return [WwwConfigError, BackstageConfigError, ModelsConfigError].some(
    (kind) => error instanceof kind,
  )
}

async function linkFor(db: Database, url: string): Promise<string | undefined> {
  const house = await findFirstHouse(db)
  if (house === undefined) return undefined
  const issued = await db.transaction((tx) => freshOwnerLink(tx, house.id))
  return issued === undefined ? undefined : `${url}/join/${issued.token}`
}
