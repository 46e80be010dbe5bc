import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

import { findChromium } from './require.ts'

/** Chromium without a sandbox of its own, since tests also run as root, and without traffic of its own. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium: apt-get install chromium')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
