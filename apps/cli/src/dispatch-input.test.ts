import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDocument, readLines } from './dispatch-input.ts'

test('a document is all the chunks in order', async () => {
  expect(text(await readDocument(chunks('ab', '', 'c'), 3))).toBe('abc')
})

test('a document without chunks is empty', async () => {
  expect(text(await readDocument(chunks(), 3))).toBe('')
})

test('reading stops with the chunk that passes the limit', async () => {
  const source = chunks('ab', 'cd', 'never')
  expect(text(await readDocument(source, 3))).toBe('abcd')
  expect(source.given).toEqual(['ab', 'cd'])
})

test.each([
  [['a\nb\n'], ['a', 'b']],
  [['a\nb'], ['a', 'b']],
  [
    ['a', 'b\nc', '\n'],
    ['ab', 'c'],
  ],
  [['a\r\nb\r\n'], ['a\r', 'b\r']],
  [['a\n\n\r\n', '\n'], ['a']],
  [['\n\na'], ['a']],
  [['a\n \n'], ['a', ' ']],
  [['\rx\n'], ['\rx']],
  [[], []],
  [[''], []],
])('%j are the lines %j', async (given, lines) => {
  expect(await collect(readLines(chunks(...given), 10))).toEqual(lines)
})

test('a line is given before the next chunk is asked for', async () => {
  const source = chunks('a\nb', '\n')
  const lines = readLines(source, 10)
  await lines.next()
  expect(source.given).toEqual(['a\nb'])
})

test('a line is given as soon as it passes the limit, however long it goes on', async () => {
  const source = chunks('abc', 'd', 'never')
  const first = await readLines(source, 3).next()
  expect(first.value && text(first.value)).toBe('abcd')
  expect(source.given).toEqual(['abc', 'd'])
})

test('the limit is a matter of each line alone', async () => {
  expect(await collect(readLines(chunks('abc\nab', 'c\n', 'abc'), 3))).toEqual([
    'abc',
    'abc',
    'abc',
  ])
})

test('where chunks are cut makes no difference', async () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r'), maxLength: 5 }))
  await fc.assert(
    fc.asyncProperty(pieces, async (given) => {
      const cut = await collect(readLines(chunks(...given), 100))
      expect(cut).toEqual(await collect(readLines(chunks(given.join('')), 100)))
    }),
  )
})

function chunks(...texts: string[]) {
  const given: string[] = []
  async function* give(): AsyncGenerator<Uint8Array> {
    for (const chunk of texts) {
      given.push(chunk)
      yield new TextEncoder().encode(chunk)
    }
  }
  return Object.assign(give(), { given })
}

async function collect(lines: AsyncIterable<Uint8Array>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(text(line))
  return all
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
