import type { Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { lexChatMarkdown } from './chat-markdown.ts'

/** `kind(inner)` for each token, text as typed. */
function outline(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'list') return `list(${outline(token.items)})`
      if ('tokens' in token) return `${token.type}(${outline(token.tokens ?? [])})`
      return token.type === 'text' && 'text' in token ? JSON.stringify(token.text) : token.type
    })
    .join(' ')
}
const read = (text: string): string => outline(lexChatMarkdown(text))

describe('the dialect', () => {
  test.each([
    ['a\nb', 'paragraph("a" br "b")'],
    ['> a\n> b', 'blockquote(paragraph("a" br "b"))'],
    ['> a\nb', 'blockquote(paragraph("a")) paragraph("b")'],
    ['> a\n    b', 'blockquote(paragraph("a")) code'],
    ['> > a\n> b\nc', 'blockquote(blockquote(paragraph("a")) paragraph("b")) paragraph("c")'],
    ['- > a\n  b', 'list(list_item(blockquote(paragraph("a")) text("b")))'],
    ['> ```\n> a\nb', 'blockquote(code) paragraph("b")'],
    ['a\n   > b', 'paragraph("a") blockquote(paragraph("b"))'],
    ['    > a', 'code'],
    ['&#64; &amp; <', 'paragraph("&#64; &amp; <")'],
    ['~~a~~ https://x', 'paragraph(del("a") " " link("https://x"))'],
    ['a\nb\n===', 'heading("a" br "b")'],
  ])('%j is %s', (text, kinds) => {
    expect(read(text)).toBe(kinds)
  })

  test('has tables', () => {
    expect(lexChatMarkdown('a\n\n|a|b|\n|-|-|\n|c|d|').map(({ type }) => type)).toEqual([
      'paragraph',
      'space',
      'table',
    ])
  })

  test('nests sixteen deep; what is deeper is text, and a quote stays a quote', () => {
    const depth = (text: string, kind: string): number => read(text).split(`${kind}(`).length - 1
    expect(depth(`${'> '.repeat(16)}a`, 'blockquote')).toBe(16)
    expect(read(`${'> '.repeat(17)}a`)).toBe(`blockquote(paragraph("${'> '.repeat(17)}a"))`)
    expect(depth(`${'- '.repeat(16)}a`, 'list')).toBe(16)
    expect(read(`${'- '.repeat(17)}a`)).toBe(`paragraph("${'- '.repeat(17)}a")`)
    const steps = Array.from({ length: 40 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n')
    expect(depth(steps, 'list')).toBe(16)
    expect(depth('- a\n'.repeat(40), 'list_item')).toBe(40)
    expect(depth('> a\n\n'.repeat(40), 'blockquote')).toBe(40)
  })
})

/** Milliseconds of this thread, whatever else the machine does: the least of three runs. */
function time(pattern: string, length: number): number {
  const text = pattern.repeat(length / pattern.length)
  const runs = Array.from({ length: 3 }, () => {
    const start = process.threadCpuUsage()
    lexChatMarkdown(text)
    return process.threadCpuUsage(start).user / 1_000
  })
  return Math.min(...runs)
}

describe('a text that marked would be slow on', () => {
  const kinds = (text: string): Set<string> =>
    new Set(read(text).match(/(?<=[( ])(?:em|strong|del|link|codespan)\b/g))

  test('up to 5,600 characters is read whole', () => {
    expect(read(`**a${' b'.repeat(2_790)}**`)).toMatch(/^paragraph\(strong\("a b[b ]*"\)\)$/)
  })

  test('is read in pieces that end with a line, else a word, and keeps every character', () => {
    const lines = `**${'one two\n'.repeat(5_000)}**`
    expect(kinds(lines)).toEqual(new Set())
    expect(kinds(`${'one two\n'.repeat(5_000)}**a** \`b\``)).toEqual(
      new Set(['strong', 'codespan']),
    )
    for (const text of ['one *two*\n', '*one* two ', '写，*手*。', '*one*_two_']) {
      const long = text.repeat(5_000).trimEnd()
      const [paragraph] = lexChatMarkdown(long)
      const raw = (token: Token): string =>
        ('tokens' in token ? (token.tokens ?? []) : []).map((one) => one.raw).join('')
      expect(paragraph && raw(paragraph)).toBe(long)
    }
    const words = lexChatMarkdown('`ab` '.repeat(8_000).trimEnd()).flatMap((token) =>
      'tokens' in token ? (token.tokens ?? []) : [],
    )
    expect(words.filter(({ type }) => type === 'codespan')).toHaveLength(8_000)
  })

  test('with too many asterisks keeps them', () => {
    expect(kinds('*a*\n\n'.repeat(500))).toEqual(new Set(['em']))
    const dense = `${'*a* _b_ '.repeat(120)}\n\n`.repeat(40)
    const emphases = read(dense).match(/em\(/g)?.length ?? 0
    expect(emphases).toBeGreaterThan(500)
    expect(emphases).toBeLessThan(9_600)
    expect(kinds(`${dense}*a*`).has('em')).toBe(true)
  })

  test('with hundreds of tables shows them as typed', () => {
    const tables = (count: number): number =>
      lexChatMarkdown('|a|b|\n|-|-|\n|c|d|\n\n'.repeat(count)).filter(
        ({ type }) => type === 'table',
      ).length
    expect(tables(400)).toBe(400)
    expect(tables(1_000)).toBe(0)
  })

  const hostile = ['a_b_', '!', '*a*', '!**a.', '*http://a', '\\```', '--><?', '> a\nb\n']
  hostile.push('a\n|-|-\n_', '![[', '[a][b] ', '- a\n')

  test.each(hostile)('takes time in proportion to its length: %j', (pattern) => {
    time(pattern, 4_096)
    // Eight times the length: 8 if linear, 64 if quadratic. The floor keeps noise out.
    expect(time(pattern, 65_536) / Math.max(time(pattern, 8_192), 2)).toBeLessThan(24)
  })

  test.each(['> ', '- ', '1. ', '>', '* ', '[', '![', '*a _b ', '(', '<b>'])(
    'does not overflow the stack: %j',
    (pattern) => {
      const text = pattern.repeat(20_000)
      expect(
        lexChatMarkdown(text)
          .map(({ raw }) => raw)
          .join('')
          .trim(),
      ).toBe(text.trim())
    },
  )
})
