import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundText } from './bound-text.ts'

const NOTE = /\n\[… (\d+) of (\d+) bytes are left out here …\]\n/

const texts = fc.string({
  unit: fc.constantFrom('a', 'é', '\u2028', '🦊', '\ud83e'),
  maxLength: 400,
  size: 'max',
})

test('[P-11] what is bounded keeps whole characters of both ends, says how much is gone, and fits', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 96, max: 700 }), (text, most) => {
      const whole = text.toWellFormed()
      const bytes = Buffer.byteLength(whole)
      const bounded = boundText(text, most)
      fc.pre(bytes > most)
      const [head = '', gone, of, tail = ''] = bounded.split(NOTE)
      expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(most)
      expect([whole.startsWith(head), whole.endsWith(tail)]).toEqual([true, true])
      expect([Number(gone), Number(of)]).toEqual([
        bytes - Buffer.byteLength(head) - Buffer.byteLength(tail),
        bytes,
      ])
      // No more is gone than the note takes, and the halves of a character at each cut.
      expect(Number(gone)).toBeLessThanOrEqual(bytes - most + 96 + 6)
    }),
    { numRuns: 300 },
  )
})

test('[P-11] what fits is left as it is', () => {
  expect([boundText('é'.repeat(48), 96), boundText('', 0)]).toEqual(['é'.repeat(48), ''])
})
