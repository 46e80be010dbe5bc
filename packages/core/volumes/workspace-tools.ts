import { findOnce } from './find-once.ts'
import { numberLines } from './number-lines.ts'

export type ToolErrorCode =
  | 'file_not_found'
  | 'old_str_not_found'
  | 'ambiguous_match'
  | 'invalid_arguments'
  // From workspaces with path rules: volumes and sandboxes.
  | 'invalid_path'
  | 'not_a_file'

/** What the model can mend: the code is the contract, the detail one sentence for its next turn. */
export interface ToolFailure {
  readonly status: 'error'
  readonly error: ToolErrorCode
  readonly detail: string
}

export type ToolResult = { readonly status: 'ok'; readonly observation: string } | ToolFailure

/** What a call comes to, given the text of its file; `write` is the text the file shall have. */
export type ToolPlan =
  | { readonly status: 'ok'; readonly observation: string; readonly write?: string }
  | ToolFailure

export interface PreparedTool {
  readonly status: 'ready'
  readonly path: string
  /** False when the plan ignores the file's text, which then need not be fetched. */
  readonly reads: boolean
  readonly plan: (content: string | undefined) => ToolPlan
}

/** What a model is told about a tool; `parameters` is JSON Schema, as function calling takes it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, { type: 'string'; description: string }>>
    readonly required: readonly string[]
  }
}

/** Where files live. An absent file is undefined; a refused path or a folder is a failure. */
export interface Workspace {
  read(path: string): Promise<string | ToolFailure | undefined>
  write(path: string, content: string): Promise<ToolFailure | undefined>
}

export interface WorkspaceToolCall {
  readonly tool: WorkspaceToolName
  readonly args: unknown
}

export async function runWorkspaceTool(
  files: Workspace,
  call: WorkspaceToolCall,
): Promise<ToolResult> {
  const prepared = prepareWorkspaceTool(call)
  if (prepared.status === 'error') return prepared
  const content = prepared.reads ? await files.read(prepared.path) : undefined
  if (typeof content === 'object') return content
  const plan = prepared.plan(content)
  if (plan.status === 'error' || plan.write === undefined) return plan
  const refusal = await files.write(prepared.path, plan.write)
  return refusal ?? { status: 'ok', observation: plan.observation }
}

/** Checks the arguments and names the file, for a caller that fetches and stores it in its own way. */
export function prepareWorkspaceTool(call: WorkspaceToolCall): PreparedTool | ToolFailure {
  return workspaceTools[call.tool].prepare(call.args)
}

/** Own names only: `toString` is no tool. */
export function isWorkspaceTool(name: string): name is WorkspaceToolName {
  return Object.hasOwn(workspaceTools, name)
}

export type WorkspaceToolName = keyof typeof workspaceTools

export const workspaceTools = {
  read_file: workspaceTool('read_file', {
    description: 'Read a text file. Every line comes with its number and a colon, "1: " first.',
    args: { path: 'The file to read.' },
    reads: true,
    plan: (args, content) =>
      content === undefined
        ? fileNotFound(args.path)
        : { status: 'ok', observation: numberLines(content) },
  }),
  write_file: workspaceTool('write_file', {
    description: 'Write a whole text file, a new one or over an old one.',
    args: { path: 'The file to write.', content: 'Everything the file shall contain.' },
    reads: false,
    plan: ({ path, content }) => ({
      status: 'ok',
      observation: `File written: ${path}`,
      write: content,
    }),
  }),
  patch_file: workspaceTool('patch_file', {
    description: 'Replace one passage of a text file, one that stands in it exactly once.',
    args: {
      path: 'The file to change.',
      old_str:
        'The passage, as in the file: without line numbers, with enough around it to be unique.',
      new_str: 'What takes its place, literally; empty to remove the passage.',
    },
    reads: true,
    plan: (args, content) =>
      content === undefined ? fileNotFound(args.path) : patch(args, content),
  }),
}

type Texts<K extends string> = Readonly<Record<K, string>>

function workspaceTool<K extends string>(
  name: string,
  tool: {
    readonly description: string
    /** Name and meaning of each argument. All are strings, and all are needed. */
    readonly args: Texts<K | 'path'>
    readonly reads: boolean
    readonly plan: (args: Texts<K | 'path'>, content: string | undefined) => ToolPlan
  },
): {
  readonly spec: ToolSpec
  readonly prepare: (args: unknown) => PreparedTool | ToolFailure
} {
  const { description, reads, plan } = tool
  const prepare = (args: unknown): PreparedTool | ToolFailure => {
    if (!hasTexts(args, tool.args)) return invalidArguments(name, tool.args)
    return { status: 'ready', path: args.path, reads, plan: (content) => plan(args, content) }
  }
  return { spec: { name, description, parameters: textParameters(tool.args) }, prepare }
}

function textParameters(args: Texts<string>): ToolSpec['parameters'] {
  const properties = Object.entries(args).map(
    ([name, description]) => [name, { type: 'string' as const, description }] as const,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(args),
  }
}

function hasTexts<K extends string>(value: unknown, args: Texts<K>): value is Texts<K> {
  return isRecord(value) && Object.keys(args).every((name) => typeof value[name] === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function patch(args: Texts<'path' | 'old_str' | 'new_str'>, content: string): ToolPlan {
  const found = findOnce(content, args.old_str)
  if (found.kind === 'none') {
    return failure('old_str_not_found', `old_str does not stand in "${args.path}"`)
  }
  if (found.kind === 'many') {
    return failure('ambiguous_match', `old_str stands more than once in "${args.path}"`)
  }
  const after = content.slice(found.at + args.old_str.length)
  const write = content.slice(0, found.at) + args.new_str + after
  return { status: 'ok', observation: `File patched: ${args.path}`, write }
}

function fileNotFound(path: string): ToolFailure {
  return failure('file_not_found', `there is no file "${path}"`)
}

function invalidArguments(tool: string, args: Texts<string>): ToolFailure {
  const names = Object.keys(args).join(', ')
  return failure('invalid_arguments', `${tool} takes an object with these strings: ${names}`)
}

function failure(error: ToolErrorCode, detail: string): ToolFailure {
  return { status: 'error', error, detail }
}
