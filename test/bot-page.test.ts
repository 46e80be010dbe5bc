import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import { enterHouse, type HouseGuest, PATIENCE } from './support/house-guest.ts'
import { providerEnv } from './support/open-house.ts'
import { requireOrSkip } from './support/require.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'
import { startWebHouse } from './support/web-house.ts'

const PRICED = 'Ask the model (under $0.0001)'
const PRICE = { input: 0.01, output: 0.01 }
const THREADS = 120

describe.skipIf(requireOrSkip('chromium'))('a bot’s page', () => {
  const closing = new AsyncDisposableStack()
  let provider: ScriptedProvider
  let mia: HouseGuest

  beforeAll(async () => {
    provider = closing.use(await startScriptedProvider(() => ({})))
    const env = { kind: 'openai', baseUrl: provider.openaiBaseUrl, price: PRICE } as const
    const house = closing.use(await startWebHouse(providerEnv(env)))
    const browser = await launchChromium()
    closing.defer(() => browser.close())
    mia = await enterHouse(browser, house.ownerLink, 'Mia')
    const { bots } = await get(mia.page, '/v1/bots')
    const both = bots.map(({ id }) => id)
    for (let n = 0; n < THREADS; n += 1)
      await post(mia.page, '/v1/threads', { title: `Thread ${n}`, bots: both })
    await mia.page.getByRole('link', { name: 'Bots' }).click()
    await mia.page.getByRole('link', { name: 'Ada' }).click()
    await mia.page.getByLabel('If this were said').waitFor({ timeout: PATIENCE })
  })
  afterAll(() => closing.disposeAsync())

  const changes: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
    ['the text', (page) => page.getByLabel('If this were said').fill('Who knows the date?')],
    ['the thread', (page) => page.getByLabel('In the thread').selectOption('Thread 101')],
    ['the bot', (page) => page.getByLabel('Description').fill('Knows all dates.')],
  ]
  test.each(changes)('what was priced is not asked once %s has changed', async (_, change) => {
    const { page } = mia
    await page.getByLabel('If this were said').fill('Who can help?')
    await priced(page)
    await change(page)
    expect(await page.getByRole('button', { name: 'Ask the model' }).count()).toBe(0)
    await priced(page)
    expect(provider.calls).toBe(0)
  })

  test('a model is asked once at a time, and its late answer to an older question is not shown', async () => {
    const { page } = mia
    const held = Promise.withResolvers<undefined>()
    provider.use(async () => {
      await held.promise
      return { toolCalls: [{ name: 'decide', args: { pick: 'nobody', reason: 'it is late' } }] }
    })
    await page.getByLabel('If this were said').fill('Who answers late?')
    await priced(page)
    const answered = page.waitForResponse((response) => response.url().includes('who-would-speak'))
    await page.getByRole('button', { name: PRICED }).dblclick()
    const asking = page.getByRole('button', { name: /^Ask(ing…| the model)/ })
    expect(await asking.evaluateAll((all) => all.map((one) => one.matches(':disabled')))).toEqual([
      true,
      true,
    ])
    await page.getByLabel('If this were said').fill('And who answers this?')
    held.resolve(undefined)
    expect((await (await answered).json()) as unknown).toMatchObject({ kind: 'decided' })
    await priced(page)
    expect(await page.getByText('it is late').count()).toBe(0)
    expect(provider.calls).toBe(1)
  })

  test('every thread that the bot is in can be chosen', async () => {
    const { page } = mia
    const offered = page.getByLabel('In the thread').getByRole('option')
    const older = page.getByRole('button', { name: 'Offer older threads' })
    const before = await offered.count()
    await older.click()
    await older.waitFor({ state: 'detached', timeout: PATIENCE })
    const titles = await offered.allInnerTexts()
    expect([before, titles.length]).toEqual([100, new Set(titles).size])
    expect(titles).toEqual(expect.arrayContaining(['Thread 0', `Thread ${THREADS - 1}`]))
  })

  test('nothing of all this made the browser complain', () => {
    expect(mia.complaints).toEqual([])
  })
})

/** The question as it stands now is answered with what it would cost to ask. */
async function priced(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Who would speak?' }).click()
  await page.getByRole('button', { name: PRICED }).waitFor({ timeout: PATIENCE })
}

async function get(page: Page, path: string) {
  const got = await page.request.get(new URL(path, page.url()).href)
  return (await got.json()) as { readonly bots: readonly { readonly id: string }[] }
}

async function post(page: Page, path: string, data: object): Promise<void> {
  const made = await page.request.post(new URL(path, page.url()).href, {
    data,
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  expect(made.status()).toBe(201)
}
