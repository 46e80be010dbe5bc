import { describe } from 'vitest'
import { createHouse, databaseWorld } from './director-store/database-world.ts'
import { memoryWorld } from './director-store/memory-world.ts'
import { directorStoreSuite } from './director-store/suite.ts'
import { eachEngine } from './support/each-engine.ts'

describe('in memory', () => {
  directorStoreSuite(async () => memoryWorld())
})

eachEngine((open) => {
  directorStoreSuite(async () => {
    const database = await open()
    await createHouse(database)
    return databaseWorld(database)
  })
})
