import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isWorkspaceTool,
  prepareWorkspaceTool,
  runWorkspaceTool,
  type ToolFailure,
  type ToolPlan,
  type Workspace,
  type WorkspaceToolCall,
  type WorkspaceToolName,
  workspaceTools,
} from './workspace-tools.ts'

test('models are offered three tools with these names, texts and parameters', () => {
  expect(Object.values(workspaceTools).map((tool) => tool.spec)).toEqual([
    {
      name: 'read_file',
      description: 'Read a text file. Every line comes with its number and a colon, "1: " first.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string', description: 'The file to read.' } },
        required: ['path'],
      },
    },
    {
      name: 'write_file',
      description: 'Write a whole text file, a new one or over an old one.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The file to write.' },
          content: { type: 'string', description: 'Everything the file shall contain.' },
        },
        required: ['path', 'content'],
      },
    },
    {
      name: 'patch_file',
      description: 'Replace one passage of a text file, one that stands in it exactly once.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The file to change.' },
          old_str: {
            type: 'string',
            description:
              'The passage, as in the file: without line numbers, with enough around it to be unique.',
          },
          new_str: {
            type: 'string',
            description: 'What takes its place, literally; empty to remove the passage.',
          },
        },
        required: ['path', 'old_str', 'new_str'],
      },
    },
  ])
})

test('each tool stands under its own name', () => {
  const entries = Object.entries(workspaceTools)
  expect(entries.map(([name, tool]) => name === tool.spec.name)).toEqual([true, true, true])
})

test('only the three names are tools, inherited names are not', () => {
  const names = ['read_file', 'write_file', 'patch_file', 'toString', '__proto__', 'READ_FILE', '']
  expect(names.filter(isWorkspaceTool)).toEqual(['read_file', 'write_file', 'patch_file'])
})

test('reading comes to the numbered lines and writes nothing', () => {
  expect(plan('read_file', { path: 'a' }, 'x\ny')).toEqual({
    status: 'ok',
    observation: '1: x\n2: y',
  })
})

test('reading an empty file comes to the empty text', () => {
  expect(plan('read_file', { path: 'a' }, '')).toEqual({ status: 'ok', observation: '' })
})

test.each<[WorkspaceToolName, Record<string, string>]>([
  ['read_file', { path: 'lost' }],
  ['patch_file', { path: 'lost', old_str: '', new_str: 'x' }],
])('%s of an absent file says which file is absent', (tool, args) => {
  expect(plan(tool, args, undefined)).toEqual({
    status: 'error',
    error: 'file_not_found',
    detail: 'there is no file "lost"',
  })
})

test.each([undefined, '', 'before'])('writing does not mind that the file held %j', (content) => {
  expect(plan('write_file', { path: 'a b', content: 'after' }, content)).toEqual({
    status: 'ok',
    observation: 'File written: a b',
    write: 'after',
  })
})

test('patching writes the text with the one place replaced', () => {
  expect(patch('one two three', 'two', '2')).toEqual({
    status: 'ok',
    observation: 'File patched: a',
    write: 'one 2 three',
  })
})

test('patching takes both texts literally', () => {
  expect(patch('x.y xzy', 'x.y', "$& $1 $$ $` $' \\n")).toEqual({
    status: 'ok',
    observation: 'File patched: a',
    write: "$& $1 $$ $` $' \\n xzy",
  })
})

test('patching an empty file by its empty passage fills it', () => {
  expect(patch('', '', 'x')).toEqual({ status: 'ok', observation: 'File patched: a', write: 'x' })
})

test('a passage that is not there is told from one that is there more than once', () => {
  expect([patch('hahaha', 'hehe', ''), patch('hahaha', 'haha', ''), patch('x', '', '')]).toEqual([
    { status: 'error', error: 'old_str_not_found', detail: 'old_str does not stand in "a"' },
    { status: 'error', error: 'ambiguous_match', detail: 'old_str stands more than once in "a"' },
    { status: 'error', error: 'ambiguous_match', detail: 'old_str stands more than once in "a"' },
  ])
})

test('[P-5] a patch goes by the number of places, counted one by one', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'b', '\n', '$', '$&', '$1'),
    maxLength: 10,
  })
  fc.assert(
    fc.property(letters, letters, letters, (content, passage, replacement) => {
      const result = patch(content, passage, replacement)
      const outcome = result.status === 'ok' ? result.write : result.error
      expect(outcome).toBe(patchByComparing(content, passage, replacement))
    }),
  )
})

const badArguments = [
  undefined,
  null,
  'a',
  7,
  ['a'],
  {},
  { path: 1, content: 'c', old_str: 'o', new_str: 'n' },
  { path: null, content: 'c', old_str: 'o', new_str: 'n' },
]

test.each(badArguments)('arguments %j fit no tool, and each says what it takes', (args) => {
  const tools: WorkspaceToolName[] = ['read_file', 'write_file', 'patch_file']
  expect(tools.map((tool) => prepareWorkspaceTool({ tool, args }))).toEqual([
    invalid('read_file takes an object with these strings: path'),
    invalid('write_file takes an object with these strings: path, content'),
    invalid('patch_file takes an object with these strings: path, old_str, new_str'),
  ])
})

test.each<[WorkspaceToolName, unknown]>([
  ['write_file', { path: 'a' }],
  ['write_file', { path: 'a', content: 5 }],
  ['patch_file', { path: 'a', old_str: 'o' }],
  ['patch_file', { path: 'a', new_str: 'n' }],
  ['patch_file', { path: 'a', old_str: 'o', new_str: {} }],
])('%s does not take %j', (tool, args) => {
  expect(prepareWorkspaceTool({ tool, args })).toMatchObject({ error: 'invalid_arguments' })
})

test('an argument nobody asked for is passed over', () => {
  expect(plan('read_file', { path: 'a', encoding: 'latin1' }, 'x')).toEqual({
    status: 'ok',
    observation: '1: x',
  })
})

test('a prepared call names its file and whether the text of that file matters', () => {
  const args = { path: 'f', content: 'c', old_str: 'o', new_str: 'n' }
  const tools: WorkspaceToolName[] = ['read_file', 'write_file', 'patch_file']
  const prepared = tools.map((tool) => prepareWorkspaceTool({ tool, args }))
  expect(prepared).toEqual([
    { status: 'ready', path: 'f', reads: true, plan: expect.any(Function) },
    { status: 'ready', path: 'f', reads: false, plan: expect.any(Function) },
    { status: 'ready', path: 'f', reads: true, plan: expect.any(Function) },
  ])
})

test('a run reads, plans, writes and tells only what the model may see', async () => {
  const files = fakeWorkspace({ a: 'one two' })
  const results = [
    await run(files, 'read_file', { path: 'a' }),
    await run(files, 'patch_file', { path: 'a', old_str: 'two', new_str: '2' }),
    await run(files, 'write_file', { path: 'b', content: 'new' }),
  ]
  expect(results).toEqual([
    { status: 'ok', observation: '1: one two' },
    { status: 'ok', observation: 'File patched: a' },
    { status: 'ok', observation: 'File written: b' },
  ])
  expect(files.texts).toEqual({ a: 'one 2', b: 'new' })
  expect(files.log).toEqual(['read a', 'read a', 'write a', 'write b'])
})

test('a run that fails writes nothing', async () => {
  const files = fakeWorkspace({ a: 'x x' })
  const results = [
    await run(files, 'read_file', { path: 'b' }),
    await run(files, 'patch_file', { path: 'a', old_str: 'x', new_str: 'y' }),
    await run(files, 'patch_file', { path: 'a', old_str: 'z', new_str: 'y' }),
    await run(files, 'write_file', { path: 'a' }),
  ]
  expect(results.map((result) => result.status === 'error' && result.error)).toEqual([
    'file_not_found',
    'ambiguous_match',
    'old_str_not_found',
    'invalid_arguments',
  ])
  expect(files.log).toEqual(['read b', 'read a', 'read a'])
})

test('writing the text a file already has is still a write', async () => {
  const files = fakeWorkspace({ a: '' })
  await run(files, 'write_file', { path: 'a', content: '' })
  expect(files.log).toEqual(['write a'])
})

test('what the workspace refuses is the result', async () => {
  const files = fakeWorkspace({})
  expect(await run(files, 'read_file', { path: '../a' })).toBe(refusal)
  expect(await run(files, 'write_file', { path: '../a', content: 'x' })).toBe(refusal)
  expect(files.texts).toEqual({})
})

const refusal: ToolFailure = { status: 'error', error: 'invalid_path', detail: 'it climbs' }

function fakeWorkspace(texts: Record<string, string>) {
  const log: string[] = []
  const files: Workspace = {
    async read(path) {
      log.push(`read ${path}`)
      return path.startsWith('..') ? refusal : texts[path]
    },
    async write(path, content) {
      log.push(`write ${path}`)
      if (path.startsWith('..')) return refusal
      texts[path] = content
      return undefined
    },
  }
  return { ...files, texts, log }
}

function run(files: Workspace, tool: WorkspaceToolName, args: WorkspaceToolCall['args']) {
  return runWorkspaceTool(files, { tool, args })
}

function patch(content: string, passage: string, replacement: string): ToolPlan {
  return plan('patch_file', { path: 'a', old_str: passage, new_str: replacement }, content)
}

function patchByComparing(content: string, passage: string, replacement: string): string {
  const places = Array.from({ length: content.length + 1 }, (_, at) => at).filter(
    (at) => content.slice(at, at + passage.length) === passage,
  )
  const [place] = places
  if (place === undefined) return 'old_str_not_found'
  if (places.length > 1) return 'ambiguous_match'
  return content.slice(0, place) + replacement + content.slice(place + passage.length)
}

function plan(tool: WorkspaceToolName, args: unknown, content: string | undefined): ToolPlan {
  const prepared = prepareWorkspaceTool({ tool, args })
  return prepared.status === 'error' ? prepared : prepared.plan(content)
}

function invalid(detail: string): ToolFailure {
  return { status: 'error', error: 'invalid_arguments', detail }
}
