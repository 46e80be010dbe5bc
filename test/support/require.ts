import { spawnSync } from 'node:child_process'

import { findProgram } from './find-program.ts'
import { findPostgresFolder } from './postgres-server.ts'

export type MachinePart = 'postgres' | 'chromium' | 'sandbox'

const parts: Readonly<
  Record<MachinePart, { readonly isPresent: () => boolean; readonly remedy: string }>
> = {
  postgres: {
    isPresent: () => findPostgresFolder() !== undefined,
    remedy: 'a Postgres server is missing: apt-get install postgresql',
  },
  chromium: {
    isPresent: () => findChromium() !== undefined,
    remedy: 'Chromium is missing: apt-get install chromium',
  },
  sandbox: {
    isPresent: canSandbox,
    remedy:
      'bubblewrap is missing or may not make user namespaces here: apt-get install bubblewrap',
  },
}

/**
 * For `describe.skipIf(requireOrSkip('postgres'))`: undefined when the part is there, else the
 * sentence that says how to get it. A part that ARBE_REQUIRE names may not be missing: that throws,
 * so a run meant to be complete cannot pass by skipping.
 */
export function requireOrSkip(part: MachinePart): string | undefined {
  const { isPresent, remedy } = parts[part]
  if (isPresent()) return undefined
  const required = (process.env['ARBE_REQUIRE'] ?? '').split(',')
  if (required.includes(part)) throw new Error(`ARBE_REQUIRE names "${part}", but ${remedy}`)
  console.warn(`skipped: ${remedy}`)
  return remedy
}

export function findChromium(): string | undefined {
  return findProgram(['chromium', 'chromium-browser', 'google-chrome'], ['/usr/bin'])
}

// Being installed is not enough: containers often forbid the namespaces that bubblewrap needs.
function canSandbox(): boolean {
  if (process.platform === 'darwin') return findProgram(['sandbox-exec']) !== undefined
  const bwrap = findProgram(['bwrap'])
  if (bwrap === undefined) return false
  return spawnSync(bwrap, ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0
}
