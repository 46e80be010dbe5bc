import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { shownThread } from '../../../../../test/support/shown-thread.ts'
import { MessageText } from './message-text.tsx'

const thread = shownThread({})

test('[P-14] whatever a message holds, it shows only plain elements, and links lead to the web or to mail', () => {
  fc.assert(
    fc.property(text, (said) => {
      const html = renderToStaticMarkup(
        createElement(MessageText, { text: said, thread, named: undefined }),
      )
      expect(foreignIn(html)).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['<script>alert(1)</script>', []],
  ['[a](javascript:alert(1))', []],
  ['[a](JaVaScRiPt&colon;alert(1))', []],
  ['[a](\u0001javascript:alert(1))', []],
  ['[a](data:text/html,x)', []],
  ['![a](data:image/svg+xml,x)', []],
  ['<data:text/html,x>', []],
  ['[a]: javascript:alert(1)\n\n[a]', []],
  ['[a](//evil.example)', []],
  ['[a](HTTPS://x.example "onclick=1")', ['HTTPS://x.example']],
  ['<mia@x.example>', ['mailto:mia@x.example']],
])('%j leads to %j', (said, hrefs) => {
  const html = renderToStaticMarkup(
    createElement(MessageText, { text: said, thread, named: undefined }),
  )
  expect([foreignIn(html), [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href)]).toEqual(
    [[], hrefs],
  )
})

const TAGS = `< > </ <!-- --> " ' = / & ; <script> </script> <svg/onload= <img\u00a0src=x\u00a0onerror=a()>`
const LINKS =
  '[ ] ]( ) ![ [a]:\u00a0 <javascript: javascript: JAVASCRIPT: &#106; data:text/html, vbscript: file: http://a mailto:a@b.c //a www.a.b'
const MARKS = '` ``` ~~~ * ** _ ~~ | |-| #\u00a0 >\u00a0 -\u00a0 1.\u00a0 -\u00a0[x]\u00a0 \\ a'
const pieces = fc.constantFrom(
  ...[TAGS, LINKS, MARKS]
    .join(' ')
    .split(' ')
    .map((piece) => piece.replaceAll('\u00a0', ' ')),
  '\n',
  '\n\n',
  '\t',
  '\0',
)
const text = fc.oneof(fc.string({ unit: pieces, maxLength: 24 }), fc.string({ unit: 'binary' }))

const ELEMENTS =
  /^(?:p|h[345]|strong|em|del|code|pre|blockquote|hr|br|span|div|ul|ol|li|input|table|thead|tbody|tr|th|td|a)$/
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  class: /^/,
  title: /^/,
  href: /^(?:https?:|mailto:)/i,
  target: /^_blank$/,
  rel: /^noreferrer noopener$/,
  type: /^checkbox$/,
  checked: /^$/,
  readOnly: /^$/,
  start: /^-?\d+$/,
}

/** React escapes every `<` of a text and every `"` of a value, so that what looks like a tag is one. */
function foreignIn(html: string): readonly string[] {
  return [...html.matchAll(/<\/?([^\s>/]*)([^>]*)>/g)].flatMap(([tag, name = '', rest = '']) => {
    const isForeign = [...rest.matchAll(/ ([^\s=]+)(?:="([^"]*)")?/g)].some(
      ([, attribute = '', value = '']) => ATTRIBUTES[attribute]?.test(value) !== true,
    )
    return ELEMENTS.test(name) && !isForeign ? [] : [tag]
  })
}
