import { decisionSuite } from './decision.suite.test.ts'
import { leaseSuite } from './lease.suite.test.ts'
import { recoverySuite } from './recovery.suite.test.ts'
import type { DirectorWorld } from './world.ts'

/** What every engine of the director's store keeps. */
export function directorStoreSuite(open: () => Promise<DirectorWorld>): void {
  leaseSuite(open)
  decisionSuite(open)
  recoverySuite(open)
}
