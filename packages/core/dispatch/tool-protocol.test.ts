import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { dispatchText, MAX_DOCUMENT_BYTES } from './tool-protocol.ts'

test('an answer is one line of JSON with its keys in alphabetical order', () => {
  const workspace = { b: 'x\n', a: '' }
  expect([
    answer({ workspace, call: { tool: 'read_file', args: { path: 'b' } } }),
    answer({ workspace, call: { tool: 'read_file', args: { path: 'c' } } }),
  ]).toEqual([
    {
      exit: 0,
      stdout:
        '{"observation":"1: x\\n","status":"ok","tool":"read_file","workspace":{"b":"x\\n","a":""}}\n',
    },
    {
      exit: 0,
      stdout:
        '{"error":"file_not_found","status":"error","tool":"read_file","workspace":{"b":"x\\n","a":""}}\n',
    },
  ])
})

test('a file called __proto__ is made, kept and printed', () => {
  const call = '{"tool":"write_file","args":{"path":"__proto__","content":"p"}}'
  expect(dispatchString(`{"op":"dispatch","workspace":{"__proto__":"o"},"call":${call}}`)).toEqual({
    exit: 0,
    stdout:
      '{"observation":"File written: __proto__","status":"ok","tool":"write_file","workspace":{"__proto__":"p"}}\n',
  })
})

const readA = { tool: 'read_file', args: { path: 'a' } }

test.each<[string, unknown]>([
  ['the request is not a JSON object', 7],
  ['the request is not a JSON object', null],
  ['the request is not a JSON object', []],
  ['"op" is not "dispatch"', {}],
  ['"op" is not "dispatch"', { op: 'Dispatch', workspace: {}, call: readA }],
  ['"workspace" is not a map of path to text', { op: 'dispatch', call: readA }],
  ['"workspace" is not a map of path to text', { op: 'dispatch', workspace: [], call: readA }],
  ['"workspace" is not a map of path to text', { op: 'dispatch', workspace: { a: 1 } }],
  ['"call" is not an object', { op: 'dispatch', workspace: {} }],
  ['"call" is not an object', { op: 'dispatch', workspace: {}, call: [readA] }],
  ['"call.tool" is not a string', { op: 'dispatch', workspace: {}, call: {} }],
  ['there is no tool "cut"', { op: 'dispatch', workspace: {}, call: { tool: 'cut' } }],
  ['there is no tool "a\\nb"', { op: 'dispatch', workspace: {}, call: { tool: 'a\nb' } }],
  [
    `there is no tool "${'x'.repeat(60)}"`,
    { op: 'dispatch', workspace: {}, call: { tool: 'x'.repeat(60) } },
  ],
  [
    `there is no tool "${'x'.repeat(60)}…"`,
    { op: 'dispatch', workspace: {}, call: { tool: 'x'.repeat(61) } },
  ],
])('exit 1 says in one line: %s', (reason, document) => {
  expect(dispatchString(JSON.stringify(document))).toEqual({ exit: 1, stderr: `${reason}\n` })
})

test.each(['', ' ', '{', '{}{}', '{"op":}', "{'op':1}"])('%j is not one document', (text) => {
  expect(dispatchString(text)).toEqual({
    exit: 1,
    stderr: 'the request is not one JSON document\n',
  })
})

test('a byte order mark is no white space of JSON', () => {
  expect(dispatchString(`\uFEFF${JSON.stringify(request(readA))}`)).toEqual({
    exit: 1,
    stderr: 'the request is not one JSON document\n',
  })
})

test('bytes that are no UTF-8 are refused, not replaced', () => {
  expect(dispatchText(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({
    exit: 1,
    stderr: 'the request is not valid UTF-8\n',
  })
})

test('a document of 64 MiB is answered, one byte more is refused', () => {
  const document = new Uint8Array(MAX_DOCUMENT_BYTES + 1).fill(0x20)
  document.set(new TextEncoder().encode(JSON.stringify(request(readA))))
  expect(dispatchText(document.subarray(0, MAX_DOCUMENT_BYTES))).toMatchObject({ exit: 0 })
  expect(dispatchText(document)).toEqual({
    exit: 1,
    stderr: 'the request is larger than 67108864 bytes\n',
  })
})

test('a document nested too deep for recursion is like any other', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  const head = JSON.stringify(request(readA)).slice(0, -1)
  expect(dispatchString(`${head},"more":${deep}}`)).toMatchObject({ exit: 0 })
  expect(dispatchString(deep)).toMatchObject({ exit: 1 })
})

test('[P-7] any bytes give one line of JSON with sorted keys, or one line of reason', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), cutRequests, wrongRequests), (bytes) => {
      const result = dispatchText(bytes)
      expect(result.exit === 0 ? result.stdout : result.stderr).toMatch(/^[^\n]+\n$/)
      const keys = result.exit === 0 ? Object.keys(JSON.parse(result.stdout)) : []
      expect(keys).toEqual(keys.toSorted())
    }),
  )
})

test('[P-7] any request gives back the whole workspace, changed at the named path alone', () => {
  fc.assert(
    fc.property(requests, ({ workspace, call }) => {
      const result = answer({ workspace, call })
      if (result.exit === 1) throw new Error(result.stderr)
      const { status, tool, workspace: after, ...rest } = JSON.parse(result.stdout)
      expect(tool).toBe(call.tool)
      expect(Object.keys(rest)).toEqual([status === 'ok' ? 'observation' : 'error'])
      const mayChange = status === 'ok' && call.tool !== 'read_file' ? call.args.path : undefined
      const others = (files: object) => Object.entries(files).filter(([at]) => at !== mayChange)
      expect(others(after)).toEqual(others(workspace))
    }),
  )
})

const paths = fc.constantFrom('a', 'b/c', '', '__proto__', 'toString', '7')
const texts = fc.string({ unit: fc.constantFrom('x', 'y', '\n', '\r\n', '"', '\\', '\ud83e', 'é') })

const requests = fc.record({
  workspace: fc.array(fc.tuple(paths, texts)).map((files) => Object.fromEntries(files)),
  call: fc.record({
    tool: fc.constantFrom('read_file', 'write_file', 'patch_file'),
    args: fc.record({ path: paths, content: texts, old_str: texts, new_str: texts }),
  }),
})

/** Of the right shape at the top, or not even that. */
const wrongRequests = fc
  .record(
    {
      op: fc.constantFrom('dispatch', 'dispatch', 'dispatches'),
      workspace: fc.oneof(fc.dictionary(paths, fc.oneof(texts, fc.jsonValue())), fc.jsonValue()),
      call: fc.oneof(
        fc.record({
          tool: fc.constantFrom('read_file', 'write_file', 'patch_file', 'toString', ''),
          args: fc.oneof(
            fc.dictionary(fc.constantFrom('path', 'content'), fc.jsonValue()),
            fc.jsonValue(),
          ),
        }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  )
  .map((made) => encode(JSON.stringify(made)))

const cutRequests = fc
  .tuple(requests, fc.nat({ max: 400 }))
  .map(([made, length]) => encode(JSON.stringify({ op: 'dispatch', ...made })).subarray(0, length))

function request(call: unknown) {
  return { op: 'dispatch', workspace: { a: '1' }, call }
}

function answer(parts: { workspace: unknown; call: unknown }) {
  return dispatchString(JSON.stringify({ op: 'dispatch', ...parts }))
}

function dispatchString(text: string) {
  return dispatchText(encode(text))
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
