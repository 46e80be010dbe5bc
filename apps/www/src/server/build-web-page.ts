import { existsSync } from 'node:fs'
import { join } from 'node:path'

const APP = join(import.meta.dirname, '../..')

export function isWebPageBuilt(): boolean {
  return existsSync(join(APP, 'dist/index.html'))
}

/** Builds the page that the server serves. The builder is loaded here alone: a start that finds the page built needs none of it. */
export async function buildWebPage(): Promise<void> {
  const { build } = await import('vite')
  await build({ configFile: join(APP, 'vite.config.ts'), logLevel: 'warn' })
}
