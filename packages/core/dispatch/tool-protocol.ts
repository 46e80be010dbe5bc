import {
  isWorkspaceTool,
  prepareWorkspaceTool,
  type ToolErrorCode,
  type WorkspaceToolCall,
} from '../volumes/workspace-tools.ts'

/** A longer document is refused, so a reader may stop once it holds one byte more. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

export type DispatchAnswer =
  | { readonly exit: 0; readonly stdout: string }
  | { readonly exit: 1; readonly stderr: string }

/** One request document in, one answer out. Exit 1 means that the caller broke the protocol, never that a model erred. */
export function dispatchText(document: Uint8Array): DispatchAnswer {
  try {
    const request = parseRequest(parseJson(document))
    return { exit: 0, stdout: `${JSON.stringify(dispatch(request))}\n` }
  } catch (error) {
    if (error instanceof ProtocolError) return { exit: 1, stderr: `${error.message}\n` }
    throw error
  }
}

type Files = Readonly<Record<string, string>>

interface Request {
  readonly workspace: Files
  readonly call: WorkspaceToolCall
}

// Keys in alphabetical order: they are printed as they stand.
type Response =
  | {
      readonly observation: string
      readonly status: 'ok'
      readonly tool: string
      readonly workspace: Files
    }
  | {
      readonly error: ToolErrorCode
      readonly status: 'error'
      readonly tool: string
      readonly workspace: Files
    }

function dispatch({ workspace, call }: Request): Response {
  const { tool } = call
  const prepared = prepareWorkspaceTool(call)
  if (prepared.status === 'error')
    return { error: prepared.error, status: 'error', tool, workspace }
  // Own keys only: `toString` is no file, and `__proto__` may be one.
  const { path } = prepared
  const plan = prepared.plan(Object.hasOwn(workspace, path) ? workspace[path] : undefined)
  if (plan.status === 'error') return { error: plan.error, status: 'error', tool, workspace }
  // Computed keys and spread define own keys, `__proto__` included, where an assignment would not.
  const after = plan.write === undefined ? workspace : { ...workspace, [path]: plan.write }
  return { observation: plan.observation, status: 'ok', tool, workspace: after }
}

class ProtocolError extends Error {}

function parseJson(document: Uint8Array): unknown {
  if (document.length > MAX_DOCUMENT_BYTES) {
    throw new ProtocolError(`the request is larger than ${MAX_DOCUMENT_BYTES} bytes`)
  }
  const text = decodeUtf8(document)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProtocolError('the request is not one JSON document', { cause })
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    // A byte order mark is kept, and so refused: RFC 8259 forbids it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ProtocolError('the request is not valid UTF-8', { cause })
  }
}

function parseRequest(document: unknown): Request {
  if (!isMap(document)) throw new ProtocolError('the request is not a JSON object')
  const { op, workspace, call } = document
  if (op !== 'dispatch') throw new ProtocolError('"op" is not "dispatch"')
  if (!isFiles(workspace)) throw new ProtocolError('"workspace" is not a map of path to text')
  if (!isMap(call)) throw new ProtocolError('"call" is not an object')
  const { tool, args } = call
  if (typeof tool !== 'string') throw new ProtocolError('"call.tool" is not a string')
  if (!isWorkspaceTool(tool)) throw new ProtocolError(`there is no tool ${quoted(tool)}`)
  return { workspace, call: { tool, args } }
}

function isFiles(value: unknown): value is Files {
  return isMap(value) && Object.values(value).every((text) => typeof text === 'string')
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In JSON, so that a line feed in the name cannot make a second line of the message. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
}
