import * as fc from 'fast-check'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { isVolumePath } from './volume-path.ts'

const segments = fc.constantFrom(
  'a',
  '.',
  '..',
  '...',
  '',
  '~',
  '\\',
  '%2e%2e',
  'é',
  'e\u0301',
  '\0',
  '\ud83e',
)
const written = fc.array(segments, { maxLength: 6 }).map((parts) => parts.join('/'))

test('[P-8] any text is refused as a path, or names one place below the root in its only spelling', () => {
  fc.assert(
    fc.property(fc.oneof(written, fc.string({ unit: 'binary' })), (text) => {
      const place = posix.resolve('/root', text)
      const isInside = place === `/root/${text}` && text === text.normalize('NFC')
      const isText = text.isWellFormed() && !text.includes('\0')
      expect(isVolumePath(text)).toBe(isInside && isText)
    }),
    { numRuns: 3_000 },
  )
})

test('a path of more bytes than a folder may be long is refused', () => {
  expect([isVolumePath('é'.repeat(512)), isVolumePath(`${'é'.repeat(512)}a`)]).toEqual([
    true,
    false,
  ])
})
