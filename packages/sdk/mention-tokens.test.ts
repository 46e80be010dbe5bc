import * as fc from 'fast-check'
import { Marked } from 'marked'
import { expect, test } from 'vitest'
import { lexChatMarkdown } from './chat-markdown.ts'
import { handleKey } from './handles.ts'
import { membersByKey } from './mention-at.ts'
import { readMentions } from './mention-tokens.ts'
import { lexWithMentions, mentionSpans, parseMentions } from './mentions.ts'

const roster = ['ann', 'ann-lee', 'coder', '写手', 'josé', '코더', 'a_b'].map((handle) => ({
  id: `agt_${handle}`,
  handle,
}))

// The page draws a chip as this does, with another element.
const page = new Marked({
  extensions: [{ name: 'mention', renderer: ({ raw }) => `<chip>${raw}</chip>` }],
})
const draw = (text: string): string => page.parser([...lexWithMentions(text, roster)])

function chipsOf(html: string): string[] {
  return Array.from(html.matchAll(/<chip>(.*?)<\/chip>/g), ([, name = '']) => name)
}

const words = [
  ...roster.map(({ handle }) => `@${handle}`),
  '@everyone @nobody-else @@coder \\@coder a@coder.com @scope/ann https://x/@ann `@ann`',
  '` `` ``` ~~~ ~ ~~ * ** _ __ > - + 1. # | |-|-| \\ < > & ! [ ] ( ) [x](y) [@ann](b) ![@ann](b)',
  '<code> </code> <pre> </pre> <b> </b> <a> </a> <!-- --> <div> </div> <q> </q>',
  'a 请 。 é e\u0301 \u200b 🤖 = / . --- ===',
].flatMap((line) => line.split(' '))
const spaces = [' ', ' ', '\n', '\n', '\n\n', '\r\n', '\t', '    ', '  \n']
const starts = ['\n> ', '\n- ', '\n- [ ] ', '\n```\n', '\n|-|-|\n', '[x]: @ann\n']
const piece = fc.constantFrom(...words, ...spaces, ...starts)
const message = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))

const many = { numRuns: 2_000 }

test('what the page draws as chips is what the parser finds', () => {
  fc.assert(
    fc.property(message, (text) => {
      const found = mentionSpans(text, roster).filter(({ kind }) => kind !== 'unknown')
      expect(chipsOf(draw(text))).toEqual(found.map(({ start, end }) => text.slice(start, end)))
    }),
    many,
  )
})

test('every mention lies where its offsets say and spells its handle', () => {
  fc.assert(
    fc.property(message, (text) => {
      for (const { handle, start, end } of parseMentions(text, roster).mentions) {
        const written = text.slice(start, end)
        expect(written[0]).toBe('@')
        expect(handleKey(written.slice(1))).toBe(handle)
      }
    }),
    many,
  )
})

test('without its @ a mention is gone and the others stay', () => {
  fc.assert(
    fc.property(message, (text) => {
      const before = parseMentions(text, roster).mentions
      for (const gone of before) {
        const changed = `${text.slice(0, gone.start)}+${text.slice(gone.start + 1)}`
        expect(parseMentions(changed, roster).mentions).toEqual(
          before.filter((one) => one !== gone),
        )
      }
    }),
    many,
  )
})

test('no chip stands in code, in a quote or in a link of the page', () => {
  fc.assert(
    fc.property(message, (text) => {
      const open = new Map<string, number>()
      for (const [tag] of draw(text).matchAll(/<\/?(?:pre|code|blockquote|a|q|chip)\b/g)) {
        const name = tag.replace(/^<\/?/, '')
        const depth = (open.get(name) ?? 0) + (tag.startsWith('</') ? -1 : 1)
        open.set(name, Math.max(0, depth))
        if (name !== 'chip') continue
        expect([...open].filter(([other, count]) => other !== 'chip' && count > 0)).toEqual([])
      }
    }),
    many,
  )
})

test('composed and decomposed, a text and a roster name the same members', () => {
  const forms = ['NFC', 'NFD'] as const
  fc.assert(
    fc.property(message, (text) => {
      const named = forms.flatMap((ofText) =>
        forms.map((ofRoster) => {
          const spelled = roster.map(({ id, handle }) => ({
            id,
            handle: handle.normalize(ofRoster),
          }))
          const { mentions, everyone } = parseMentions(text.normalize(ofText), spelled)
          return { ids: mentions.map(({ id }) => id), everyone }
        }),
      )
      expect(named).toEqual(named.map(() => named[0]))
    }),
    many,
  )
})

test('where nothing is drawn, only paragraphs that may matter are looked into, and the same is found', () => {
  const byKey = membersByKey(roster)
  const paragraphs = fc.array(message, { maxLength: 3 }).map((texts) => texts.join('\n\n'))
  fc.assert(
    fc.property(paragraphs, (text) => {
      const [drawn, read] = [true, false].map((isDrawn) => readMentions(text, byKey, { isDrawn }))
      expect([read?.spans, read?.glued]).toEqual([drawn?.spans, drawn?.glued])
    }),
    many,
  )
  const { tokens } = readMentions('**so** what\n\n@ann', byKey, { isDrawn: false })
  expect(tokens.map((token) => ('tokens' in token ? token.tokens.length : 0))).toEqual([0, 0, 1])
})

test('the tokens hold every @ of the text, in order', () => {
  const ats = (text: string) => text.split('@').length
  fc.assert(
    fc.property(message, (text) => {
      const tokens = lexChatMarkdown(text)
      expect(tokens.map(({ raw }) => ats(raw) - 1).reduce((sum, count) => sum + count, 1)).toBe(
        ats(text),
      )
    }),
    many,
  )
})

test('chips change nothing else on the page', () => {
  fc.assert(
    fc.property(message, (text) => {
      const plain = page.parser(lexChatMarkdown(text))
      expect(draw(text).replace(/<\/?chip>/g, '')).toBe(plain)
    }),
    many,
  )
})
