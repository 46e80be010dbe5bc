import { describe, expect, test } from 'vitest'

import { launchChromium } from './chromium.ts'
import { requireOrSkip } from './require.ts'

describe.skipIf(requireOrSkip('chromium'))('a Chromium for tests', () => {
  test('it runs the script of a page', async () => {
    await using browser = await launchChromium()
    const page = await browser.newPage()
    await page.setContent('<p></p><script>document.querySelector("p").textContent = 6 * 7</script>')
    expect(await page.textContent('p')).toBe('42')
  })
})
