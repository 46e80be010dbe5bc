import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  handleFromName,
  handleKey,
  handleSkeleton,
  isReservedHandle,
  normalizeHandle,
} from './handles.ts'

describe('a handle', () => {
  test.each([
    ['Ann', 'ann'],
    ['ann-lee_2', 'ann-lee_2'],
    ['写手', '写手'],
    ['コーダーの林', 'コーダーの林'],
    ['코더', '코더'],
    ['Зина', 'зина'],
    ['हिन्दी', 'हिन्दी'],
    ['แอน', 'แอน'],
    ['José', 'josé'],
    ['José'.normalize('NFD'), 'josé'],
    ['ｃｏｄｅｒ２', 'coder2'],
    ['Straẞe', 'strasse'],
    ['ΝΊΚΟΣ', 'νίκοσ'],
    ['İLKER', 'ilker'],
    ['ab', 'ab'],
    ['2a', '2a'],
    ['x'.repeat(32), 'x'.repeat(32)],
    ['\u{20000}'.repeat(32), '\u{20000}'.repeat(32)],
    ['nobody-bot', 'nobody-bot'],
    ['overall', 'overall'],
    ['theall', 'theall'],
  ])('%s is stored as %s', (raw, handle) => {
    expect(normalizeHandle(raw)).toEqual({ status: 'ok', handle })
  })

  test.each([
    ['', 'too_short'],
    ['a', 'too_short'],
    ['\u{20000}', 'too_short'],
    ['x'.repeat(33), 'too_long'],
    ['ß'.repeat(17), 'too_long'],
    ['a b', 'bad_character'],
    ['@ann', 'bad_character'],
    ['ann!', 'bad_character'],
    ['an\u200bn', 'bad_character'],
    ['an\nn', 'bad_character'],
    ['ann\u0301\u0302', 'bad_character'],
    ['\u3164\u3164', 'bad_character'],
    ['ꭰꭰ', 'bad_character'],
    ['٣٤ا', 'bad_character'],
    ['-ann', 'bad_edge'],
    ['_ann', 'bad_edge'],
    ['ann-', 'bad_edge'],
    ['ann_', 'bad_edge'],
    ['ा\u0902न', 'bad_edge'],
    ['42', 'no_letter'],
    ['4-2', 'no_letter'],
    ['annе', 'mixed_scripts'],
    ['coder写手', 'mixed_scripts'],
    ['비서비書', 'mixed_scripts'],
  ])('%j is refused: %s', (raw, error) => {
    expect(normalizeHandle(raw)).toEqual({ status: 'error', error })
  })

  test.each([
    ['nobody none all everyone here system human director'],
    ['Nobody NONE All EveryOne hErE SYSTEM Human Director'],
    ['ｎｏｂｏｄｙ ⓐⓛⓛ ｈere'],
    ['n0body a11 ai1 d1rector dlrector'],
    ['no-body every_one'],
    ['nóbödy dïrector'],
    ['systern hurnan'],
    ['поьоԁу ηοηε неге'],
  ])('[A8] that is or looks reserved is refused: %s', (words) => {
    for (const word of words.split(' ')) {
      expect(normalizeHandle(word)).toEqual({ status: 'error', error: 'reserved' })
      expect(isReservedHandle(word)).toBe(true)
    }
  })

  test('[A8] a reserved word of two scripts is refused, too', () => {
    expect(normalizeHandle('ноbоdу')).toEqual({ status: 'error', error: 'mixed_scripts' })
  })

  test('[A8] no lookalike of a reserved word is a handle', () => {
    const lookalikes: Record<string, string> = {
      a: 'aаαA',
      c: 'cсC',
      d: 'dԁD',
      e: 'eеεE',
      h: 'hһH',
      i: 'iіιl1I',
      l: 'l1iӏI',
      m: 'mмM',
      n: 'nηпN',
      o: '0oоοσO',
      r: 'rгR',
      s: 'sѕS',
      t: 'tтτT',
      u: 'uυU',
      v: 'vѵνV',
      y: 'yуγY',
    }
    const words = ['nobody', 'none', 'all', 'everyone', 'here', 'system', 'human', 'director']
    const disguised = fc
      .constantFrom(...words)
      .chain((word) =>
        fc.tuple(
          ...Array.from(word, (one) => fc.constantFrom(...Array.from(lookalikes[one] ?? one))),
        ),
      )
    fc.assert(
      fc.property(disguised, (letters) => normalizeHandle(letters.join('')).status === 'error'),
    )
  })
})

describe('the key of a handle', () => {
  test('is the same for every form and case, and is its own key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const key = handleKey(text)
        const forms = [key, text.normalize('NFC'), text.normalize('NFD'), text.normalize('NFKD')]
        expect(forms.map(handleKey)).toEqual(forms.map(() => key))
        expect(handleKey(text.toLowerCase())).toBe(key)
      }),
    )
  })

  test.each([
    ['ẞ', 'ss'],
    ['ß', 'ss'],
    ['ſ', 's'],
    ['ﬁ', 'fi'],
    ['ς', 'σ'],
    ['ΑΣ', 'ασ'],
    ['İ', 'i'],
    ['ı', 'i'],
    ['I', 'i'],
    ['\u212a', 'k'],
    ['ｶﾞ', 'ガ'],
  ])('folds %s to %s', (raw, key) => {
    expect(handleKey(raw)).toBe(key)
  })

  test('of a handle is the handle', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2, maxLength: 6 }), (raw) => {
        const check = normalizeHandle(raw)
        fc.pre(check.status === 'ok')
        expect(normalizeHandle(check.handle)).toEqual(check)
      }),
    )
  })
})

describe('the skeleton of a handle', () => {
  test.each([
    ['авеһнсԁкміјпорԛгѕтѵԝхуү', 'abehhcdkmijnopqrstvwxyy'],
    ['αβεικηοσρτυνωχγϳ', 'abeiknooptuvwxyj'],
    ['ӏ10oøь', 'llooob'],
    ['bi11', 'bill'],
    ['b0b', 'bob'],
    ['josé', 'jose'],
    ['rnike', 'mike'],
    ['vvill', 'will'],
    ['νίκοσ', 'vikoo'],
    ['ゔぁ', 'ゔぁ'],
  ])('of %s is %s', (handle, skeleton) => {
    expect(handleSkeleton(handle)).toBe(skeleton)
    expect(handleSkeleton(skeleton)).toBe(skeleton)
  })

  test.each([
    ['lan', 'ian'],
    ['annlee', 'ann-lee'],
    ['かな', 'がな'],
    ['写手', '写于'],
  ])('of %s is not that of %s', (one, other) => {
    expect(handleSkeleton(one)).not.toBe(handleSkeleton(other))
  })
})

describe('the handle proposed for a name', () => {
  test.each([
    ['Ann', [], 'ann'],
    ['Ann Lee', [], 'ann-lee'],
    ['Ann', ['ann'], 'ann-2'],
    ['Ann', ['bo', 'ann', 'ann-2'], 'ann-3'],
    ['Ann', ['ann-2'], 'ann'],
    ['B0b', ['bob'], 'b0b-2'],
    [`O'Brien`, [], 'obrien'],
    ['José  Müller!', [], 'josé-müller'],
    ['Ọ́lá', [], 'ọlá'],
    ['GPT 写手', [], 'gpt'],
    ['写手 GPT', [], '写手'],
    ['_-_ann-_-', [], 'ann'],
    ['3 Anns', [], '3-anns'],
    ['snake_case', [], 'snake_case'],
    ['हिन्दी बॉट', [], 'हिन्दी-बॉट'],
    ['A', [], 'a-2'],
    ['林', [], '林-2'],
    ['Nobody', [], 'nobody-2'],
    ['n0ne', [], 'n0ne-2'],
    ['🤖', [], 'member'],
    ['', [], 'member'],
    ['007', ['member'], 'member-2'],
    [`${'x'.repeat(31)} y`, [], 'x'.repeat(31)],
    ['x'.repeat(40), ['x'.repeat(32)], `${'x'.repeat(30)}-2`],
  ])('%s (taken: %j) is %s', (name, taken, handle) => {
    expect(handleFromName(name, taken)).toBe(handle)
  })

  test('[B6] differs for 林月 and 林夜', () => {
    expect(handleFromName('林月', [])).toBe('林月')
    expect(handleFromName('林夜', ['林月'])).toBe('林夜')
  })

  test('[B16] differs for two bots named Ann', () => {
    expect(handleFromName('Ann', [handleFromName('Ann', [])])).toBe('ann-2')
  })

  test('is always a handle, and unlike every one that is taken', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 64 }),
      fc.constantFrom('Ann', 'ann', 'Аnn', 'none', '林', '', 'x'.repeat(64)),
    )
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const taken: string[] = []
        for (const one of names) taken.push(handleFromName(one, taken))
        expect(taken.map(normalizeHandle)).toEqual(
          taken.map((handle) => ({ status: 'ok', handle })),
        )
        expect(new Set(taken.map(handleSkeleton)).size).toBe(taken.length)
        const skeletons = taken.map(handleSkeleton)
        expect(skeletons.map(handleSkeleton)).toEqual(skeletons)
      }),
    )
  })
})
