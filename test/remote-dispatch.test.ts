import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { requireOrSkip } from './support/require.ts'

const script = join(import.meta.dirname, '../scripts/remote-dispatch.ts')

describe.skipIf(requireOrSkip('sandbox'))('a bot with a box', () => {
  test('answers in its own name with what only the box knows', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [script, '--local'], { timeout: 90_000 })
    expect(stdout).toMatch(/^\w+ read the nonce of Check \d+ back \([0-9a-f]{12}…\)\.\n$/)
  }, 120_000)
})
