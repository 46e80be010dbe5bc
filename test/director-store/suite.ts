import { anyOrderSuite } from './any-order.suite.test.ts'
import { decisionSuite } from './decision.suite.test.ts'
import { leaseSuite } from './lease.suite.test.ts'
import { recoverySuite } from './recovery.suite.test.ts'
import { turnSuite } from './turn.suite.test.ts'
import type { DirectorWorld } from './world.ts'

/** What every engine of the director's store keeps, some of it in so many random sequences. */
export function directorStoreSuite(open: () => Promise<DirectorWorld>, sequences: number): void {
  leaseSuite(open)
  decisionSuite(open)
  recoverySuite(open)
  anyOrderSuite(open, sequences)
  turnSuite(open)
}
