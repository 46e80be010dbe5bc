import type { Browser, BrowserContext, Page } from 'playwright-core'

export interface HouseGuest {
  readonly page: Page
  readonly context: BrowserContext
  /** Console errors, exceptions, and what the content security policy refused. */
  readonly complaints: readonly string[]
}

/** Somebody with a browser of their own who opens a link to the house and gives a name. */
export async function enterHouse(
  browser: Browser,
  link: string,
  name: string,
): Promise<HouseGuest> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A connection that is cut on purpose is told by the browser as an error.
    if (message.type() === 'error' && !message.text().includes('ERR_INTERNET_DISCONNECTED'))
      complaints.push(message.text())
  })
  await page.goto(link)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Open the house' }).click()
  await page.getByRole('navigation', { name: 'Threads' }).waitFor()
  return { page, context, complaints }
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** What stands in the thread, as a reader has it: one text for each item, without times. */
export async function linesOf(page: Page): Promise<readonly string[]> {
  const texts = await page.getByRole('log').locator('article, details > summary').allInnerTexts()
  return texts.map((text) =>
    text.replaceAll(/\d+:\d\d\s?[AP]M|Reply|Edit|Delete/g, '').replaceAll(/\s+/g, ' '),
  )
}

/** How long anything may take to be seen. */
export const PATIENCE = 15_000

export async function expectSeen(page: Page, text: string): Promise<void> {
  await page.getByRole('log').getByText(text).last().waitFor({ timeout: PATIENCE })
}

/** The director rests: nothing is decided, said or owed any more. */
export async function quiet(page: Page): Promise<void> {
  await page.locator('[data-state=quiet]').waitFor({ state: 'attached', timeout: PATIENCE })
}

/** A link to the house for one more person, made on the page. */
export async function invite(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Make a link' }).click()
  const link = await page.getByLabel('Invitation link').inputValue()
  await page.keyboard.press('Escape')
  return link
}
