import { chmod } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const entry = fileURLToPath(new URL('../apps/cli/src/dispatch-main.ts', import.meta.url))

/** Makes the dispatcher one file, which any Node from 18 on runs without a package or a package.json beside it. */
export async function buildDispatcher(file: string): Promise<void> {
  await using bundle = await rolldown({
    input: entry,
    platform: 'node',
    transform: { target: 'node18' },
  })
  await bundle.write({
    file,
    // Neither import nor require is left, so the file is valid as a module and as a script.
    format: 'iife',
    banner: '#!/usr/bin/env node',
    codeSplitting: false,
  })
  await chmod(file, 0o755)
}
