import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { enterHouse, invite, say } from '../test/support/house-guest.ts'
import { startWebHouse } from '../test/support/web-house.ts'

// Takes the pictures of the README: a fresh house, two people, the demo model's two bots, and what they say.
// Run it with `node scripts/screenshot.ts` after `npm run build`; it needs Chromium.

const IMAGES = join(import.meta.dirname, '../docs/images')

const house = await startWebHouse()
const browser = await launchChromium()
try {
  const mia = await enterHouse(browser, house.ownerLink, 'Mia')
  const ben = await enterHouse(browser, await invite(mia.page), 'Ben')
  await startThread(mia.page, 'Harbour weekend')
  await ben.page.getByRole('link', { name: 'Harbour weekend' }).click()
  await talk(mia.page, '@ada write a poem about the sea into poem.txt', 'Done.')
  await talk(ben.page, 'What is still missing from our plan?', '“missing” is what Bo is here for')
  await talk(mia.page, 'thanks everyone', 'Nobody:')
  await mkdir(IMAGES, { recursive: true })
  await mia.page.getByRole('button', { name: 'Put this notice away' }).click()
  await mia.page.mouse.move(0, 0)
  for (const [colorScheme, file] of [
    ['light', 'thread.png'],
    ['dark', 'thread-dark.png'],
  ] as const) {
    await mia.page.emulateMedia({ colorScheme })
    await mia.page.screenshot({ path: join(IMAGES, file) })
  }
} finally {
  await browser.close()
  await house[Symbol.asyncDispose]()
}

async function startThread(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.getByLabel('What is it about?').fill(title)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Start the thread' }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
}

/** Says it, and waits until what it leads to is seen and the thread is at rest. */
async function talk(page: Page, text: string, until: string): Promise<void> {
  await say(page, text)
  await page.getByRole('log').getByText(until).last().waitFor()
  await page.locator('[data-state=quiet]').waitFor({ state: 'attached' })
}
