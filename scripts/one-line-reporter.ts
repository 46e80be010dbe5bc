import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Ends a run with "N passed, M failed", counting what the summary of a run can hide: errors outside any test. */
export default class OneLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      // A file that cannot be imported holds no test, and must not pass for that.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1
      for (const test of module.children.allTests()) count[test.result().state] += 1
    }
    const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`)
  }
}
