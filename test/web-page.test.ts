import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import {
  enterHouse,
  expectSeen,
  type HouseGuest,
  invite,
  linesOf,
  PATIENCE,
  quiet,
  say,
} from './support/house-guest.ts'
import { requireOrSkip } from './support/require.ts'
import { startWebHouse, type WebHouse } from './support/web-house.ts'

describe.skipIf(requireOrSkip('chromium'))('the page in a browser', () => {
  const closing = new AsyncDisposableStack()
  let house: WebHouse
  let browser: Browser
  let mia: HouseGuest
  let ben: HouseGuest

  // Two people in one thread with both bots; the second came by a link that the first made on the page.
  beforeAll(async () => {
    house = closing.use(await startWebHouse())
    browser = await launchChromium()
    closing.defer(() => browser.close())
    mia = await enterHouse(browser, house.ownerLink, 'Mia')
    ben = await enterHouse(browser, await invite(mia.page), 'Ben')
    await startThread(mia.page)
    await ben.page.getByRole('link', { name: 'Harbour' }).click()
    await ben.page.getByLabel('Message', { exact: true }).waitFor()
  })
  afterAll(() => closing.disposeAsync())

  test('a named bot answers with a file, and the other person sees it live', async () => {
    await say(mia.page, '@ada write a poem about rain into poem.txt')
    for (const { page } of [mia, ben]) {
      await expectSeen(page, 'Ada was asked: named in a message · free')
      const turn = page.getByRole('article', { name: 'Ada' }).last()
      await turn.getByText('write_file').waitFor({ timeout: PATIENCE })
      await turn.getByText('done', { exact: true }).waitFor({ timeout: PATIENCE })
    }
    await quiet(mia.page)
    await mia.page.getByRole('link', { name: 'Files' }).click()
    await mia.page.getByRole('button', { name: 'poem.txt' }).click()
    await mia.page.locator('pre', { hasText: 'rain' }).waitFor({ timeout: PATIENCE })
    await mia.page.getByRole('link', { name: 'Harbour' }).click()
  })

  test('a question to the room is decided, and the line tells among whom', async () => {
    await say(ben.page, 'What is still missing from our plan?')
    const line = mia.page.locator('summary', { hasText: 'was asked:' }).last()
    await mia.page.locator('summary', { hasText: '$0' }).last().waitFor({ timeout: PATIENCE })
    await quiet(mia.page)
    await line.click()
    const detail = mia.page.locator('details[open]').last()
    await detail.getByText('Who could speak').waitFor()
    expect(await detail.getByRole('listitem').allInnerTexts()).toEqual(['✓ Ada', '✓ Bo'])
    await detail.getByText('What the model was asked').click()
    await mia.page.locator('pre', { hasText: '"is":"person"' }).waitFor({ timeout: PATIENCE })
    const answer = mia.page.locator('pre', { hasText: '"pick":"c' })
    await answer.waitFor({ timeout: PATIENCE })
    await line.click()
    // Who does not own the house is not even offered it.
    const bens = ben.page.locator('summary', { hasText: 'was asked:' }).last()
    await bens.click()
    await ben.page.getByText('Who could speak').waitFor({ timeout: PATIENCE })
    expect(await ben.page.getByText('What the model was asked').count()).toBe(0)
    await bens.click()
  })

  test('thanks are answered by nobody, and the line says why', async () => {
    await say(mia.page, 'thanks everyone')
    await expectSeen(ben.page, 'Nobody:')
    await quiet(ben.page)
    expect(await ben.page.locator('summary', { hasText: 'Nobody' }).last().innerText()).toMatch(
      /^Nobody: .+ · (free|\$0)/,
    )
  })

  test('of two named bots both answer, one after the other', async () => {
    await say(mia.page, '@ada X, @bo Y')
    await expectSeen(mia.page, 'Bo was asked: a person had asked before · free')
    await quiet(mia.page)
    const authors = await mia.page
      .getByRole('log')
      .getByRole('article')
      .evaluateAll((articles) =>
        articles.slice(-3).map((article) => article.getAttribute('aria-label')),
      )
    expect(authors).toEqual(['Mia', 'Ada', 'Bo'])
  })

  test('what is written offline waits, and both hear of everything after it', async () => {
    await mia.context.setOffline(true)
    await say(mia.page, 'written in a tunnel')
    await mia.page.getByText('Not sent:').waitFor({ timeout: PATIENCE })
    await say(ben.page, 'said meanwhile')
    await mia.context.setOffline(false)
    await expectSeen(mia.page, 'said meanwhile')
    await mia.page.getByRole('button', { name: 'Send again' }).click()
    await expectSeen(ben.page, 'written in a tunnel')
    await quiet(ben.page)
    const written = { hasText: 'written in a tunnel' }
    expect(await mia.page.getByRole('article', { name: 'Mia' }).filter(written).count()).toBe(1)
  })

  test('a reload shows the same', async () => {
    await quiet(mia.page)
    const before = await linesOf(mia.page)
    await mia.page.reload()
    await mia.page.getByRole('log').getByRole('article').last().waitFor({ timeout: PATIENCE })
    expect(await linesOf(mia.page)).toEqual(before)
    expect(await linesOf(ben.page)).toEqual(before)
  })

  test('one’s own message is edited and deleted in place', async () => {
    await say(ben.page, 'see yuo')
    const article = ben.page.getByRole('article', { name: 'Ben' }).last()
    await article.getByRole('button', { name: 'Edit' }).click()
    await ben.page.getByLabel('Message', { exact: true }).fill('see you')
    await ben.page.keyboard.press('Enter')
    await expectSeen(mia.page, 'see you')
    await article.getByRole('button', { name: 'Delete' }).click()
    await article.getByRole('button', { name: 'Delete for everyone' }).click()
    await expectSeen(mia.page, 'This message was deleted.')
  })

  test('what was said elsewhere is marked until it is read', async () => {
    const { page } = mia
    await page.getByRole('link', { name: 'Welcome' }).click()
    await page.getByRole('log').getByText('Three things to try').waitFor({ timeout: PATIENCE })
    await say(ben.page, 'are you still there')
    await page.getByRole('link', { name: 'Harbour unread' }).click()
    await expectSeen(page, 'are you still there')
    await page.getByRole('link', { name: 'Harbour', exact: true }).waitFor({ timeout: PATIENCE })
    expect(await page.title()).toBe('Harbour · My house · arbe')
  })

  test('whoever reads further up is not moved, by older messages or by new ones', async () => {
    const { page } = mia
    const place = await longThread(page, 130)
    const log = page.getByRole('log')
    const offered = log.getByRole('button', { name: 'Show older messages' })
    await log.getByText('message 129').waitFor({ timeout: PATIENCE })
    const articles = log.getByRole('article')
    const text = (await articles.first().innerText()).split('\n').at(-1) ?? ''
    const count = await articles.count()
    const known = articles.filter({ has: page.getByText(text, { exact: true }) })
    // It comes into sight, and the older page with it.
    await offered.scrollIntoViewIfNeeded()
    await articles.nth(count).waitFor({ state: 'attached', timeout: PATIENCE })
    const before = await known.boundingBox()
    await place.post('and a new one')
    await log.getByText('and a new one').waitFor({ state: 'attached', timeout: PATIENCE })
    expect(before?.y).toBeLessThan(400)
    expect(await known.boundingBox()).toEqual(before)
    await page.getByRole('link', { name: 'Harbour' }).click()
  })

  test('a second tab reads the feed of the first', async () => {
    const feeds: string[] = []
    mia.context.on('request', (request) => {
      if (request.url().endsWith('/v1/feed')) feeds.push(request.url())
    })
    const tab = await mia.context.newPage()
    await tab.goto(mia.page.url())
    await tab.getByLabel('Message', { exact: true }).waitFor({ timeout: PATIENCE })
    await say(ben.page, 'heard in both tabs')
    await Promise.all([
      expectSeen(tab, 'heard in both tabs'),
      expectSeen(mia.page, 'heard in both tabs'),
    ])
    expect(feeds).toEqual([])
    await tab.close()
  })

  test('no screen has a serious fault for people who use it otherwise', async () => {
    const { page } = mia
    const thread = page.url()
    const bot = await linkOf(page, 'Bots', 'Ada')
    const faults: string[] = []
    const join = await (await browser.newContext()).newPage()
    await join.goto(`${house.url}/join/inv_none`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await join.emulateMedia({ colorScheme })
      faults.push(...(await faultsOf(join, 'join')))
      await page.emulateMedia({ colorScheme })
      for (const path of [
        thread,
        `${house.url}/new`,
        `${house.url}/bots`,
        `${house.url}/bots/new`,
        bot,
        `${house.url}/files`,
      ]) {
        await page.goto(path)
        await page
          .getByRole('main')
          .locator('textarea:visible, form:visible, li:visible')
          .first()
          .waitFor({ timeout: PATIENCE })
        if (path === bot) await page.getByLabel('If this were said').waitFor({ timeout: PATIENCE })
        faults.push(...(await faultsOf(page, `${path} ${colorScheme}`)))
      }
    }
    expect(faults).toEqual([])
  })

  test('nothing of all this made a browser complain', () => {
    expect([...mia.complaints, ...ben.complaints]).toEqual([])
  })
})

async function startThread(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.getByLabel('What is it about?').fill('Harbour')
  for (const name of ['Ada', 'Bo', 'Ben'])
    await page.getByRole('checkbox', { name: new RegExp(`^${name} `) }).check()
  await page.getByRole('button', { name: 'Start the thread' }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
}

/** Where a link on another screen leads. */
async function linkOf(page: Page, screen: string, name: string): Promise<string> {
  await page.getByRole('link', { name: screen }).click()
  await page.getByRole('main').getByRole('link', { name }).click()
  await page.getByRole('heading', { name: 'Who would speak?' }).waitFor({ timeout: PATIENCE })
  return page.url()
}

/** A thread without bots, in which somebody has said much. */
async function longThread(page: Page, length: number) {
  const post = (path: string, data: object) =>
    page.request.post(new URL(path, page.url()).href, {
      data,
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
  const made = await post('/v1/threads', { title: 'Long' })
  const { id } = (await made.json()) as { id: string }
  const say = (text: string) => post(`/v1/threads/${id}/entries`, { kind: 'chat', text })
  for (let n = 0; n < length; n += 1) await say(`message ${n}`)
  await page.goto(new URL(`/t/${id}`, page.url()).href)
  return { post: say }
}

async function faultsOf(page: Page, where: string): Promise<readonly string[]> {
  // The policy lets no script into the page; what a browser evaluates for its driver is not the page's.
  await page.evaluate(axe.source)
  const found: readonly {
    id: string
    impact: string | null
    nodes: readonly { html: string }[]
  }[] = await page.evaluate('axe.run().then(({ violations }) => violations)')
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
