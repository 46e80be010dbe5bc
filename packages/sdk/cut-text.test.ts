import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { headOfText, tailOfText } from './cut-text.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'é', '🦊', '👩‍🚀', '\u2028', '') })

test('[P-11] a text that is cut keeps whole characters, and as many as fit', () => {
  fc.assert(
    fc.property(text, fc.nat(40), (whole, most) => {
      const characters = Array.from(whole)
      expect([headOfText(whole, most), tailOfText(whole, most)]).toEqual([
        fitting(characters, most).join(''),
        fitting(characters.toReversed(), most).toReversed().join(''),
      ])
    }),
  )
})

function fitting(characters: readonly string[], most: number): readonly string[] {
  let length = 0
  return characters.filter((character) => (length += character.length) <= most)
}
