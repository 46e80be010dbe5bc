import { afterAll, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import { enterHouse } from './support/house-guest.ts'
import { requireOrSkip } from './support/require.ts'
import { startWebHouse } from './support/web-house.ts'

const closing = new AsyncDisposableStack()
afterAll(() => closing.disposeAsync())

test.skipIf(requireOrSkip('chromium'))(
  'on a phone too it is seen who carries a message, for whom, and by which bridge',
  async () => {
    const house = closing.use(await startWebHouse())
    const browser = await launchChromium()
    closing.defer(() => browser.close())
    const { page } = await enterHouse(browser, house.ownerLink, 'Mia')
    const post = async (path: string, data: object) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const made = await page.request.post(new URL(path, page.url()).href, { data, headers })
      return (await made.json()) as { readonly id: string }
    }
    const { id } = await post('/v1/threads', { title: 'Moved' })
    const via = { bridge: 'slack', id: 'm1', name: 'Alice' }
    const said = { via, text: 'Said elsewhere', saidAt: '2024-05-05T05:05:05Z' }
    await post(`/v1/threads/${id}/import`, { messages: [said] })
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(new URL(`/t/${id}`, page.url()).href)
    const article = page.getByRole('article', { name: 'Mia' })
    await article.getByText('Said elsewhere').waitFor()
    for (const text of ['Mia', 'via slack']) {
      const cut = await article
        .getByText(text)
        .first()
        .evaluate((one) => [one.clientWidth > 20, one.scrollWidth - one.clientWidth])
      expect([text, ...cut]).toEqual([text, true, 0])
    }
  },
)
