import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import {
  enterHouse,
  expectSeen,
  type HouseGuest,
  invite,
  PATIENCE,
  quiet,
  say,
} from './support/house-guest.ts'
import { providerEnv } from './support/open-house.ts'
import { requireOrSkip } from './support/require.ts'
import { type ScriptedRequest, startScriptedProvider } from './support/scripted-provider.ts'
import { startWebHouse, type WebHouse } from './support/web-house.ts'

const BOTS = ['Ada', 'Bo', 'Cleo', 'Dan', 'Eve']

/** Whom the director's model picks; undefined: it answers with no candidate. */
let picked: string | undefined

/** What the director's model was asked last. */
let asked = ''

describe.skipIf(requireOrSkip('chromium'))('five bots and two people in a browser', () => {
  const closing = new AsyncDisposableStack()
  let house: WebHouse
  let browser: Browser
  let mia: HouseGuest
  let ben: HouseGuest

  beforeAll(async () => {
    const provider = closing.use(await startScriptedProvider(answer))
    const price = { input: 3, output: 15 }
    house = closing.use(
      await startWebHouse(providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl, price })),
    )
    browser = await launchChromium()
    closing.defer(() => browser.close())
    mia = await enterHouse(browser, house.ownerLink, 'Mia')
    ben = await enterHouse(browser, await invite(mia.page), 'Ben')
    for (const name of BOTS.slice(2)) await makeBot(mia.page, name)
    await mia.page.reload()
    await startThread(mia.page, 'Tides', [...BOTS, 'Ben'])
    await ben.page.getByRole('link', { name: 'Tides' }).click()
    await ben.page.getByLabel('Message', { exact: true }).waitFor()
  })
  afterAll(() => closing.disposeAsync())

  test('a wrong pick is seen and corrected with two clicks', async () => {
    picked = 'Bo'
    await say(ben.page, 'Who can read the tide tables?')
    await expectSeen(mia.page, 'I am Bo')
    await quiet(mia.page)
    const detail = await openLine(mia.page, 'Bo was asked: it seems right · $')
    expect(await detail.getByRole('listitem').allInnerTexts()).toEqual(
      BOTS.map((name) => `✓ ${name}`),
    )
    await detail.getByRole('button', { name: 'Should have stayed quiet' }).click()
    await expectSeen(mia.page, 'Noted: should have stayed quiet.')
    await detail.getByRole('button', { name: 'Ask Cleo instead' }).click()
    await expectSeen(ben.page, 'Cleo was asked: picked by a person · free')
    await expectSeen(ben.page, 'I am Cleo')
    await quiet(mia.page)
  })

  test('an undecided choice is mended with one click, by either of the two', async () => {
    picked = undefined
    await say(mia.page, 'And what about the other thing?')
    const undecided = 'Undecided: the model answered twice with no candidate'
    await expectSeen(mia.page, undecided)
    await expectSeen(ben.page, undecided)
    await quiet(ben.page)
    await ben.page.getByRole('button', { name: 'Ask Dan', exact: true }).click()
    await expectSeen(mia.page, 'I am Dan')
    await quiet(mia.page)
    expect(await mia.page.getByRole('button', { name: 'Ask Dan', exact: true }).count()).toBe(0)
  })

  test('nobody is an answer that may be overruled as well', async () => {
    await say(ben.page, 'Thanks!')
    await expectSeen(mia.page, 'Nobody: thanks only · free')
    await quiet(mia.page)
    const detail = await openLine(mia.page, 'Nobody: thanks only · free')
    await detail.getByRole('button', { name: 'Ask Eve' }).click()
    await expectSeen(ben.page, 'I am Eve')
    await quiet(mia.page)
  })

  test('a muted bot is not asked, the line says until when, and it speaks again', async () => {
    const { page } = mia
    await openMembers(page)
    await page.getByLabel('Mute Eve').selectOption({ index: 1 })
    await page.getByRole('dialog').getByText('muted until').waitFor()
    await page.getByText(/^Models have cost \$0\.0[1-9]\d+ here in the last 30 days/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await say(ben.page, '@eve are you there?')
    await expectSeen(page, 'Nobody: Eve is muted until')
    await quiet(page)
    await openMembers(page)
    await page.getByRole('button', { name: 'Unmute' }).click()
    await page.getByLabel('Mute Eve').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const before = await spokenBy(page, 'Eve')
    await say(ben.page, '@eve and now?')
    await expectSeen(page, 'Eve was asked: named in a message · free')
    await page.getByRole('article', { name: 'Eve' }).nth(before).waitFor({ timeout: PATIENCE })
    await quiet(page)
  })

  test('two bots that name each other for ever stop at the limit, once, and Continue lets them go on', async () => {
    const { page } = ben
    await startThread(mia.page, 'Echo', ['Ada', 'Bo', 'Ben'])
    await page.getByRole('link', { name: 'Echo' }).click()
    await say(page, '@ada tell it each other in turn')
    await page.getByRole('button', { name: 'Continue' }).waitFor({ timeout: PATIENCE })
    await quiet(page)
    expect([await spokenBy(page, 'Ada'), await spokenBy(page, 'Bo')]).toEqual([3, 3])
    expect(await page.locator('summary', { hasText: 'has had its turns for now' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expectSeen(page, 'somebody pressed Continue')
    await page
      .locator('summary', { hasText: 'has had its turns for now' })
      .nth(1)
      .waitFor({ timeout: PATIENCE })
    await quiet(page)
    expect([await spokenBy(page, 'Ada'), await spokenBy(page, 'Bo')]).toEqual([6, 6])
  })

  test('a thread of one and one that grows is offered to have its bot answer only when it fits', async () => {
    const { page } = mia
    await startThread(page, 'Small', ['Cleo'])
    await say(page, 'Just us two here')
    await expectSeen(page, 'Cleo was asked: it answers everything here · free')
    await quiet(page)
    await openMembers(page)
    await page.getByLabel('Add to the thread').selectOption({ label: 'Ben (@ben)' })
    await page.getByRole('dialog').getByText('@ben').first().waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Cleo still answers every message here.').waitFor({ timeout: PATIENCE })
    await page.getByRole('button', { name: 'Answer only when it fits' }).click()
    await page
      .getByText('Cleo still answers every message here.')
      .waitFor({ state: 'detached', timeout: PATIENCE })
    picked = 'nobody'
    await ben.page.getByRole('link', { name: 'Small' }).click()
    await say(ben.page, 'Mia, shall we meet at eight?')
    await expectSeen(page, 'Nobody: it seems right · $')
  })

  test('a bot that is being edited is tried out before it is saved, and nothing is said', async () => {
    const { page } = mia
    const before = await newestOf(page)
    await page.getByRole('link', { name: 'Bots' }).click()
    await page.getByRole('link', { name: 'Cleo' }).click()
    await page.getByLabel('Description').fill('Knows all about tides.')
    await page.getByLabel('Handle').fill('cleopatra')
    await page.getByLabel('In the thread').selectOption('Tides')
    const found = page.getByRole('status')
    await page.getByLabel('If this were said').fill('@cleopatra hello')
    await page.getByRole('button', { name: 'Who would speak?' }).click()
    await found.getByText('Cleo was asked: named in a message · free').waitFor()

    await page.getByLabel('If this were said').fill('Who can read the tide tables?')
    await page.getByRole('button', { name: 'Who would speak?' }).click()
    await found.getByText('No rule answers: scripted/m would choose, or choose nobody.').waitFor()
    picked = 'Cleo'
    await page.getByRole('button', { name: /^Ask the model \(about \$0\.00\d\d\)$/ }).click()
    await found.getByText('Cleo was asked: it seems right · $0.0030').waitFor({ timeout: PATIENCE })
    expect(asked).toContain('Knows all about tides.')
    expect(await newestOf(page)).toEqual(before)
  })

  test('nothing of all this made a browser complain', () => {
    expect([...mia.complaints, ...ben.complaints]).toEqual([])
  })
})

/** The provider reads whom an id means out of the request, and who a bot is out of its prompt; more it does not know. */
function answer({ tools, text }: ScriptedRequest) {
  const usage = { input: 900, output: 20 }
  if (tools.includes('decide')) {
    asked = text
    if (picked === undefined) return { text: 'Perhaps one of them.', usage }
    const line = text.split('\n').find((one) => one.includes(`"name":"${picked}"`))
    const pick = /"id":"(c\d+)"/.exec(line ?? '')?.[1] ?? picked
    const args = { pick, reason: 'it seems right' }
    return { toolCalls: [{ name: 'decide', args }], usage }
  }
  const name = BOTS.find((bot) => new RegExp(`You are ${bot}\\b`).test(text)) ?? 'somebody'
  const isEcho = text.includes('each other in turn')
  return { text: isEcho ? `@${name === 'Ada' ? 'bo' : 'ada'} your turn` : `I am ${name}.`, usage }
}

/** How far each thread goes. */
async function newestOf(page: Page): Promise<readonly unknown[]> {
  const listed = await page.request.get(new URL('/v1/threads', page.url()).href)
  const { threads } = (await listed.json()) as { threads: readonly { id: string; head: number }[] }
  return threads.map(({ id, head }) => [id, head])
}

async function makeBot(page: Page, name: string): Promise<void> {
  const made = await page.request.post(new URL('/v1/bots', page.url()).href, {
    data: { name, description: `Knows what ${name} knows.`, prompt: `You are ${name}.` },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  expect(made.status()).toBe(201)
}

async function startThread(page: Page, title: string, members: readonly string[]): Promise<void> {
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.getByLabel('What is it about?').fill(title)
  for (const name of members)
    await page.getByRole('checkbox', { name: new RegExp(`^${name} `) }).check()
  await page.getByRole('button', { name: 'Start the thread' }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
}

/** What a click on the last line with that text opens. */
async function openLine(page: Page, text: string) {
  const line = page.locator('details', { has: page.locator('summary', { hasText: text }) }).last()
  await line.locator('summary').first().click()
  return line
}

async function openMembers(page: Page): Promise<void> {
  await page.getByRole('button', { name: /\d+ members/ }).click()
  await page.getByRole('dialog').waitFor()
}

const spokenBy = (page: Page, bot: string): Promise<number> =>
  page.getByRole('log').getByRole('article', { name: bot, exact: true }).count()
