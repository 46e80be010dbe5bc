import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildWebPage, isWebPageBuilt } from '../apps/www/src/server/build-web-page.ts'

const DIST = join(import.meta.dirname, '../apps/www/dist')
const MOST_KIB = 130

test('the first load is at most 130 KiB of gzipped script', async () => {
  if (!isWebPageBuilt()) await buildWebPage()
  const html = readFileSync(join(DIST, 'index.html'), 'utf8')
  const scripts = readdirSync(join(DIST, 'assets')).filter(
    (file) => file.endsWith('.js') && html.includes(file),
  )
  const sizes = scripts.map((file) => gzipSync(readFileSync(join(DIST, 'assets', file))).length)
  const kib = sizes.reduce((sum, size) => sum + size, 0) / 1_024
  expect(scripts).not.toEqual([])
  expect(kib).toBeLessThanOrEqual(MOST_KIB)
})
