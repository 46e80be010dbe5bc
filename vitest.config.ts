import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'apps/**/*.test.{ts,tsx}',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // A suite is a test of whatever is handed to it: the files that hand something run it.
    exclude: ['**/*.suite.test.ts', '**/node_modules/**', '**/dist/**', '.stryker-tmp/**'],
    globalSetup: ['./test/support/postgres-owner.ts'],
    reporters: ['default', './scripts/one-line-reporter.ts'],
    // A worker that holds an embedded database takes about 500 MB.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
