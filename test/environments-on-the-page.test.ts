import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import { enterHouse, expectSeen, type HouseGuest, PATIENCE, say } from './support/house-guest.ts'
import { requireOrSkip } from './support/require.ts'
import { startWebHouse } from './support/web-house.ts'

const missing = requireOrSkip('chromium') ?? requireOrSkip('sandbox')

describe.skipIf(missing)('environments on the page', () => {
  const closing = new AsyncDisposableStack()
  let browser: Browser
  let mia: HouseGuest

  beforeAll(async () => {
    const house = closing.use(await startWebHouse())
    browser = await launchChromium()
    closing.defer(() => browser.close())
    mia = await enterHouse(browser, house.ownerLink, 'Mia')
  })
  afterAll(() => closing.disposeAsync())

  test('one is made and started, a thread bound to it, and its bot runs a command there', async () => {
    const { page } = mia
    await page.getByRole('link', { name: 'Environments' }).click()
    await page.getByText('There is none yet').waitFor()
    await page.getByLabel('A new environment').fill('workshop')
    await page.getByRole('button', { name: 'Make and start' }).click()
    const card = page.getByRole('listitem').filter({ hasText: 'workshop' })
    await card.getByText('Started · on this machine · no network').waitFor({ timeout: PATIENCE })

    await startThread(page, 'Build')
    await page.getByRole('button', { name: 'members' }).click()
    await page.getByLabel('Bots run commands in').selectOption('workshop')
    await page.getByRole('button', { name: 'Done' }).click()
    await expectSeen(page, 'gave the bots a place for commands “workshop”')
    await page.getByRole('button', { name: 'workshop' }).waitFor()

    await say(page, '@ada run `echo from $(hostname); seq 30 >&2; exit 3`')
    const turn = page.getByRole('article', { name: 'Ada' }).last()
    await turn.getByText('run_command').waitFor({ timeout: PATIENCE })
    await expectSeen(page, 'exit code 3')
    await turn.getByText('run_command').click()
    await expectSeen(page, 'from box')
  })

  test('a removed one leaves its threads with no place', async () => {
    const { page } = mia
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('There is none yet').waitFor({ timeout: PATIENCE })
    await page.reload()
    await page.getByRole('link', { name: 'Build' }).click()
    await page.getByRole('button', { name: 'members' }).waitFor()
    expect(await page.getByRole('button', { name: 'workshop' }).count()).toBe(0)
    expect(mia.complaints).toEqual([])
  })
})

async function startThread(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.getByLabel('What is it about?').fill(title)
  await page.getByRole('checkbox', { name: /^Ada / }).check()
  await page.getByRole('button', { name: 'Start the thread' }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
}
