import { describe, expect, test } from 'vitest'
import {
  lexWithMentions,
  mentionedIds,
  mentionSpans,
  parseMentions,
  renameMentions,
} from './mentions.ts'

const roster = ['ann', 'ann-lee', 'coder', '写手', 'nobody-bot', 'snake_case'].map((handle) => ({
  id: `agt_${handle}`,
  handle,
}))

/** The handles a text names, with `@everyone` as `*`, and what is written there. */
function named(text: string): string[] {
  return mentionSpans(text, roster).flatMap((span) => {
    if (span.kind === 'unknown') return []
    const written = text.slice(span.start, span.end)
    return [span.kind === 'everyone' ? `* ${written}` : `${span.handle} ${written}`]
  })
}

const nobody = { mentions: [], everyone: false, unknown: [], names: [] }

describe('the place of a mention', () => {
  test.each([
    ['a code span', '`@coder`'],
    ['a span with two backticks', '`` ` @coder ``'],
    ['a span over two lines', 'a `b\n@coder` c'],
    ['a fence', '```\n@coder\n```'],
    ['a fence with a language', '```ts\n@coder\n```\nfine'],
    ['a tilde fence', '~~~\n@coder\n~~~'],
    ['an unclosed fence', 'look:\n```\n@coder\n\n@coder'],
    ['a fence in a list', '- a\n  ```\n  @coder\n  ```'],
    ['indented code', '    @coder'],
    ['code indented by a tab', 'a\n\n\t@coder'],
    ['<code>', '<code>@coder</code>'],
    ['<CODE class="x">', '<CODE class="x">*@coder*</CODE>'],
    ['<code> over paragraphs', '<code>\n\n@coder\n\n</code>'],
    ['<code> that another tag seems to close', '<code><kbd>x</kbd> @coder</code>'],
    ['<code> in <code>', '<code><code></code>@coder</code>'],
    ['<code> that is never closed', 'the <code> tag, @coder\n\n@coder'],
    ['<code> opened in a quote', '> <code>\n\n@coder'],
    ['<pre>', '<pre>\n@coder\n</pre>'],
    ['<samp>', 'a <samp>@coder</samp>'],
    ['a block of HTML', '<div>\n@coder\n</div>'],
    ['a comment', 'a <!-- @coder --> b'],
    ['an escape', '\\@coder'],
    ['an entity', '&#64;coder'],
  ])('[B1] in %s is none', (_, text) => {
    expect(parseMentions(text, roster)).toEqual(nobody)
  })

  test.each([
    ['`a` @coder `b`', ['coder @coder']],
    ['```\n@ann\n```\n@coder', ['coder @coder']],
    ['<code>@ann</code> @coder', ['coder @coder']],
    ['</code>@coder', ['coder @coder']],
    ['<b>@ann</b> <abbr>@coder</abbr>', ['ann @ann', 'coder @coder']],
    ['<code>\n\n@ann\n\n</code>\n\n@coder', ['coder @coder']],
    ['\\\\@coder', ['coder @coder']],
    ['`unclosed @coder', ['coder @coder']],
    ['`<code>` @coder', ['coder @coder']],
    ['```\n<code>\n```\n@coder', ['coder @coder']],
  ])('[B1] beside code counts: %j', (text, found) => {
    expect(named(text)).toEqual(found)
  })

  test.each([
    ['> @coder said so\nthanks', []],
    ['> > @coder\n> thanks', []],
    ['- > @coder\n- b', []],
    [`${'> '.repeat(40)}@coder`, []],
    ['<blockquote>@coder</blockquote>', []],
    ['a <q>@coder</q>', []],
    ['> hi\n@coder ok?', ['coder @coder']],
    ['> > hi\n@coder ok?', ['coder @coder']],
    ['- > hi\n@coder ok?', ['coder @coder']],
    ['> - hi\n@coder ok?', ['coder @coder']],
    ['> @ann\n\n@coder', ['coder @coder']],
    ['a > @coder', ['coder @coder']],
  ])('[B2] a quote names nobody, an answer under it does: %j', (text, found) => {
    expect(named(text)).toEqual(found)
  })

  test.each([
    ['[@coder](http://x)'],
    ['[see *@coder*](http://x)'],
    ['[x](http://x/@coder "@coder")'],
    ['![@coder](x.png)'],
    ['[@coder][x]\n\n[x]: http://x'],
    ['<a href="x">@coder</a>'],
    ['[coder]: @coder'],
    ['<https://x.com/@coder>'],
  ])('[S-23] in a link is none, not even in its text: %s', (text) => {
    expect(parseMentions(text, roster)).toEqual(nobody)
  })

  test('in headings, lists, tables and emphasis counts, each where it stands', () => {
    const text = [
      '# @ann #',
      'or _@snake_case_, __@ann__, ~~@coder~~',
      '',
      '- @ann-lee\r\n\t1. *@写手*\r\n',
      '- [ ] @coder',
      '',
      '| @ann | b |',
      '|:-|--|',
      '| @coder | `@coder` | @nobody-bot |',
      '| a \\| @写手 | @ann',
      '@coder',
    ].join('\n')
    expect(named(text)).toEqual([
      'ann @ann',
      'snake_case @snake_case',
      'ann @ann',
      'coder @coder',
      'ann-lee @ann-lee',
      '写手 @写手',
      'coder @coder',
      'ann @ann',
      'coder @coder',
      '写手 @写手',
      'ann @ann',
      'coder @coder',
    ])
  })
})

describe('the name of a mention', () => {
  test.each([
    ['@ann-lee ping', ['ann-lee @ann-lee']],
    ['@ann', ['ann @ann']],
    ['@ann-', ['ann @ann']],
    ['@ann_ and @ann--', ['ann @ann', 'ann @ann']],
    ['@ann\u200b and @ann\u2069', ['ann @ann', 'ann @ann']],
    ['@ann and @ann-lee and @ann', ['ann @ann', 'ann-lee @ann-lee', 'ann @ann']],
    ['@nobody-bot', ['nobody-bot @nobody-bot']],
  ])('[B3] is the longest one: %s', (text, found) => {
    expect(named(text)).toEqual(found)
  })

  test.each([
    ['@ann-le', ['ann-le']],
    ['@ann-lees', ['ann-lees']],
    ['@ann2', ['ann2']],
    ['@bob @bob @eve', ['bob', 'eve']],
    ['@nobody', ['nobody']],
    ['@ann_写', ['ann_写']],
    ['@写手2号', ['写手2号']],
    ['@_x-', ['_x']],
    ['@2024 @- @__ @', []],
    [`@${'x'.repeat(40)}`, ['x'.repeat(32)]],
  ])('[B3] that is no member is unknown: %s', (text, unknown) => {
    expect(parseMentions(text, roster)).toEqual({ ...nobody, unknown })
  })

  test.each([
    ['@写手 改一下', ['写手 @写手']],
    ['请@写手看', ['写手 @写手']],
    ['@写手，', ['写手 @写手']],
    ['你好@coder', ['coder @coder']],
    ['@coder看', ['coder @coder']],
    ['@写手please', ['写手 @写手']],
    ['@写手@coder', ['写手 @写手', 'coder @coder']],
    ['请@写手看@coder写', ['写手 @写手', 'coder @coder']],
    ['@写手.看 @coder/看', ['写手 @写手', 'coder @coder']],
    ['\u{20000}@coder\u{20000}', ['coder @coder']],
    ['คุณ@coder', ['coder @coder']],
  ])('[B5] stands in text without spaces: %s', (text, found) => {
    expect(named(text)).toEqual(found)
  })

  test('[B5] matches composed and decomposed, but never a part of a syllable', () => {
    const korean = [
      { id: 'agt_1', handle: '코더' },
      { id: 'agt_2', handle: 'josé' },
    ]
    const found = (text: string) => parseMentions(text, korean).mentions.map(({ id }) => id)
    expect(found('@코더는 @José'.normalize('NFC'))).toEqual(['agt_1', 'agt_2'])
    expect(found('@코더는 @José'.normalize('NFD'))).toEqual(['agt_1', 'agt_2'])
    expect(found('@코덕 @jose'.normalize('NFD'))).toEqual([])
    const kana = [{ id: 'agt_3', handle: 'コータ' }]
    expect(
      parseMentions('@コータさん @コーター @コーダ', kana).mentions.map(({ end }) => end),
    ).toEqual([4])
    expect(parseMentions('@コーダ'.normalize('NFD'), kana).mentions).toEqual([])
    expect(parseMentions('@ｺｰﾀ @ｺｰﾀﾞ', kana).mentions.map(({ end }) => end)).toEqual([4])
  })

  test.each([['waiting on coder'], ['the coder migration'], ['coder: look'], ['＠coder']])(
    '[B7] without an @ is none: %s',
    (text) => {
      expect(parseMentions(text, roster)).toEqual(nobody)
    },
  )

  test.each([
    ['a@coder.com'],
    ['a@coder'],
    ['é@coder'],
    ['e\u0301@coder'],
    ['7@coder'],
    ['привет@coder'],
    ['@scope/coder'],
    ['@ann/coder'],
    ['node_modules/@coder/x'],
    ['@@coder'],
    ['@ann@coder'],
    ['@coder@example.com'],
    ['x.com/@coder'],
    ['https://x.com/@coder'],
    ['www.x.com/@coder'],
    ['x.com?by=@coder'],
    ['mailto:@coder'],
    ['MAILTO:@coder'],
    ['mailto:a@coder.com'],
    ['@coder.example'],
    ['@http://x'],
  ])('[B9] in an address is none: %s', (text) => {
    expect(parseMentions(text, [...roster, { id: 'agt_http', handle: 'http' }])).toEqual(nobody)
  })

  test.each([
    ['(@coder)'],
    ["@coder's"],
    ['@coder’s'],
    ['@coder.'],
    ['@coder…'],
    ['@coder: look'],
    ['cc:@coder'],
    ['.@coder'],
    ['<@coder>'],
    ['-@coder'],
    ['@coder/'],
    ['❤️@coder'],
    ['**@coder**'],
    ['**a**@coder'],
  ])('[B9] beside punctuation counts: %s', (text) => {
    expect(named(text)).toEqual(['coder @coder'])
  })

  test('[B10] matches in any case and compatibility form, in every locale alike', () => {
    const turkish = ['coder', 'strasse', 'ilker'].map((handle) => ({ id: handle, handle }))
    const text = '@CODER @ｃｏｄｅｒ @Straße @STRASSE @İLKER @ILKER @ılker'
    expect(parseMentions(text, turkish).mentions.map(({ id }) => id)).toEqual([
      'coder',
      'coder',
      'strasse',
      'strasse',
      'ilker',
      'ilker',
      'ilker',
    ])
  })

  test.each([
    ['@an\u200bn'],
    ['@ann\u200blee'],
    ['@\u202eann'],
    ['@ann\u0301'],
    ['@annе'],
    ['@аnn'],
    ['@ann\u{e0061}x'],
  ])('[S-20] with a hidden or a lookalike character is nobody: %j', (text) => {
    expect(parseMentions(text, roster).mentions).toEqual([])
  })

  test('@everyone is told apart, also where a member took that handle before', () => {
    const impostor = { id: 'agt_x', handle: 'everyone' }
    expect(parseMentions('@Everyone, 请@everyone看', [impostor])).toEqual({
      ...nobody,
      everyone: true,
    })
    expect(named('@all @everyone')).toEqual(['* @everyone'])
  })
})

test('mentions come in order with their offsets, and repeat', () => {
  expect(parseMentions('@CODER: ask @ann or @eve, @coder', roster)).toEqual({
    mentions: [
      { id: 'agt_coder', handle: 'coder', start: 0, end: 6 },
      { id: 'agt_ann', handle: 'ann', start: 12, end: 16 },
      { id: 'agt_coder', handle: 'coder', start: 26, end: 32 },
    ],
    everyone: false,
    unknown: ['eve'],
    names: [
      { id: 'agt_coder', handle: 'coder' },
      { id: 'agt_ann', handle: 'ann' },
    ],
  })
})

test('the names a text needs are those it calls, and those it holds in an address', () => {
  const longer = [...roster, { id: 'agt_long', handle: '写手长' }]
  const text = '@写手长/a @写手 @coder'
  const { mentions, names } = parseMentions(text, longer)
  expect(mentionedIds(mentions)).toEqual(['agt_写手', 'agt_coder'])
  expect(names).toEqual([
    { id: 'agt_写手', handle: '写手' },
    { id: 'agt_coder', handle: 'coder' },
    { id: 'agt_long', handle: '写手长' },
  ])
  expect(parseMentions(text, names).mentions).toEqual(mentions)
})

describe('[B15] a text of another day', () => {
  const names = [
    { id: 'agt_1', handle: 'ann' },
    { id: 'agt_2', handle: '写手' },
    { id: 'agt_3', handle: 'bo' },
  ]
  const today = new Map([
    ['agt_1', 'anna'],
    ['agt_2', 'scribe'],
    ['agt_3', 'bo'],
  ])
  const renamed = (text: string): string => renameMentions(text, names, (id) => today.get(id))

  test.each([
    ['@ann and @Ann, `@ann`', '@anna and @anna, `@ann`'],
    ['> @ann\n\n@BO, see a@ann.com', '> @ann\n\n@BO, see a@ann.com'],
    ['@写手please @写手。', '@scribe please @scribe。'],
    ['nobody @eve', 'nobody @eve'],
  ])('is written with the handles of today: %j', (text, now) => {
    expect(renamed(text)).toBe(now)
  })

  test('keeps the handle of who is gone', () => {
    expect(renameMentions('@ann', names, () => undefined)).toBe('@ann')
  })
})

test('ids are told once each, in order of first appearance', () => {
  const { mentions } = parseMentions('@coder @ann @coder', roster)
  expect(mentionedIds(mentions)).toEqual(['agt_coder', 'agt_ann'])
})

test('[B14] a bot that speaks of another without an @ names nobody', () => {
  expect(parseMentions('coder was right', roster)).toEqual(nobody)
})

test('[B16] two bots of one name are told apart by their handles', () => {
  const anns = [
    { id: 'agt_1', handle: 'ann' },
    { id: 'agt_2', handle: 'ann-2' },
  ]
  expect(mentionedIds(parseMentions('@ann-2 then @ann', anns).mentions)).toEqual(['agt_2', 'agt_1'])
})

test('a former handle names its owner, unless somebody has it now', () => {
  const renamed = [
    { id: 'agt_1', handle: 'anna' },
    { id: 'agt_2', handle: 'bo' },
    { id: 'agt_1', handle: 'ann' },
    { id: 'agt_1', handle: 'bo' },
  ]
  expect(parseMentions('@ann @anna @bo', renamed).mentions.map(({ id }) => id)).toEqual([
    'agt_1',
    'agt_1',
    'agt_2',
  ])
})

test('chips stand among the tokens, with the text around them whole', () => {
  const tokens = lexWithMentions('hi @ann, *@everyone*@eve', roster)
  const text = (raw: string) => ({ type: 'text', raw, text: raw, escaped: false })
  const chip = (raw: string, span: object) => ({ type: 'mention', raw, span })
  expect(tokens.map((token) => 'tokens' in token && token.tokens)).toEqual([
    [
      text('hi '),
      chip('@ann', { kind: 'member', id: 'agt_ann', handle: 'ann', start: 3, end: 7 }),
      text(', '),
      {
        type: 'em',
        raw: '*@everyone*',
        text: '@everyone',
        tokens: [chip('@everyone', { kind: 'everyone', start: 10, end: 19 })],
      },
      text('@eve'),
    ],
  ])
})

test('a text without a chip keeps its tokens', () => {
  expect(mentionSpans('plain', roster)).toEqual([])
  expect(lexWithMentions('plain', roster)).toMatchObject([
    { type: 'paragraph', raw: 'plain', tokens: [{ type: 'text', raw: 'plain', text: 'plain' }] },
  ])
})
