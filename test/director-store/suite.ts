import { decisionSuite } from './decision-suite.ts'
import { leaseSuite } from './lease-suite.ts'
import { recoverySuite } from './recovery-suite.ts'
import type { DirectorWorld } from './world.ts'

/** What every engine of the director's store keeps. */
export function directorStoreSuite(open: () => Promise<DirectorWorld>): void {
  leaseSuite(open)
  decisionSuite(open)
  recoverySuite(open)
}
