import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const stryker: { readonly mutate: readonly string[] } = JSON.parse(
  readFileSync('stryker.config.json', 'utf8'),
)

// Only the tests beside a file count for it: what a test far away happens to notice is no proof.
export default defineConfig({
  test: { include: stryker.mutate.map((file) => file.replace(/\.ts$/, '*.test.ts')) },
})
