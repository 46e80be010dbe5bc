import { describe } from 'vitest'
import { createHouse, databaseWorld } from './director-store/database-world.ts'
import { memoryWorld } from './director-store/memory-world.ts'
import { directorStoreSuite } from './director-store/suite.ts'
import type { DirectorWorld } from './director-store/world.ts'
import { eachEngine, type OpenDatabase } from './support/each-engine.ts'

describe('[R-59] what a simulation runs on keeps what the engines keep', () => {
  describe('in memory', () => {
    directorStoreSuite(async () => memoryWorld(), 500)
  })

  eachEngine((open) => {
    let opened: Promise<DirectorWorld> | undefined
    directorStoreSuite(() => (opened ??= openWorld(open)), 15)
  })
})

async function openWorld(open: OpenDatabase): Promise<DirectorWorld> {
  const database = await open()
  await createHouse(database)
  return databaseWorld(database)
}
