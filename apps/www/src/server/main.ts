import { openDatabase } from '@arbe/core/db/open-db'
import { createModels } from '@arbe/core/models/models'
import { readModelsConfig } from '@arbe/core/models/models-config'
import { openLiveBus } from '@arbe/core/streams/live-bus'
import { openLiveTail } from '@arbe/core/streams/live-tail'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { setTimeout as pause } from 'node:timers/promises'
import { processEnvironment, readConfig } from './config.ts'
import { startWww } from './start-www.ts'

// The page and the API as a process of their own, beside any number of workers on one Postgres.
const env = processEnvironment()
const config = readConfig(env)
const { databaseUrl, dataDir } = config
const db = await openDatabase(databaseUrl === undefined ? { dataDir } : { url: databaseUrl })
const bus = await openLiveBus(db)
const tail = openLiveTail({ executor: db, bus, onError: report })
const director = createThreadDirectorStore(db, (hint) => bus.appended(hint))
// Never called here: models are asked by the workers, and only named and priced by this process.
const models = await createModels(readModelsConfig(env), (ms, signal) =>
  pause(ms, undefined, { signal }),
)
const www = await startWww({ db, bus, tail, director, models, config, onError: report })
console.log(`arbe is at ${www.url}`)
if (www.ownerLink !== undefined) console.log(`Sign in once as its owner: ${www.ownerLink}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().catch(report))

async function stop(): Promise<void> {
  await www.close()
  await tail.close()
  await bus.close()
  await db.close()
}

function report(error: unknown): void {
  console.error(error)
}
