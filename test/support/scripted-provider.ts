import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

import { type ReplyStream, streamAnthropic } from './anthropic-stream.ts'
import { streamOpenai } from './openai-stream.ts'

/** What the server answers to one request. Everything is optional: `{}` is an empty answer. */
export interface ScriptedReply {
  readonly thinking?: string
  readonly text?: string
  /** Arguments as a string go out as they are, so that they may be broken JSON. */
  readonly toolCalls?: readonly {
    readonly id?: string
    readonly name: string
    readonly args: object | string
  }[]
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead?: number }
  /** `length` cuts the answer at its output limit. */
  readonly stop?: 'length'
  /** Other than 200: `error` is the provider's message, and nothing is streamed. */
  readonly status?: number
  readonly error?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly delayMs?: number
  /** Time between two chunks of the stream. */
  readonly pauseMs?: number
  /** The connection breaks after so many bytes of the stream. */
  readonly cutAfterBytes?: number
  /** The stream ends there in good order, as behind a proxy that was cut off itself. */
  readonly endAfterBytes?: number
  /** Awaited before the word of that place goes out; the first one is 0. */
  readonly beforeWord?: (place: number) => Promise<unknown> | undefined
  /** Headers and the first chunk come, and then nothing more until the client goes. */
  readonly silent?: boolean
  /** Takes the place of the stream, byte for byte. */
  readonly rawChunks?: readonly string[]
}

export interface ScriptedRequest {
  /** 1, 2, 3 … */
  readonly number: number
  readonly shape: 'openai' | 'anthropic'
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: RequestBody
  /** Names of the tools that were offered. */
  readonly tools: readonly string[]
  /** Every text of the request's messages, system prompt included, to look into with `includes`. */
  readonly text: string
}

/** May be async: what it awaits holds the answer back. */
export type Script = (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>

export interface ScriptedProvider extends AsyncDisposable {
  /** For an OpenAI-compatible client. */
  readonly openaiBaseUrl: string
  /** For an Anthropic-compatible client. */
  readonly anthropicBaseUrl: string
  readonly requests: readonly ScriptedRequest[]
  readonly calls: number
  /** Requests whose client went away before the answer was whole. */
  readonly abandoned: number
  use(script: Script): void
}

export interface ProviderOptions {
  /** False over hours: then `requests` stays empty. */
  readonly remembers?: boolean
  /** The connection of a request is over; `isWhole`: the client was given all of the answer. */
  readonly onEnded?: (request: ScriptedRequest, isWhole: boolean) => void
}

/**
 * A model provider on loopback that speaks the streams of OpenAI's chat completions and of Anthropic's messages:
 * `await using provider = await startScriptedProvider(() => ({ text: 'hello' }))`.
 */
export async function startScriptedProvider(
  script: Script,
  { remembers = true, onEnded }: ProviderOptions = {},
): Promise<ScriptedProvider> {
  const requests: ScriptedRequest[] = []
  let current = script
  let calls = 0
  let abandoned = 0
  const server = createServer((incoming, response) => {
    response.once('close', () => {
      if (!response.writableFinished) abandoned += 1
    })
    void answer(incoming, response).catch((error: unknown) => response.destroy(toError(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    openaiBaseUrl: `${url}/v1`,
    anthropicBaseUrl: url,
    requests,
    get calls() {
      return calls
    },
    get abandoned() {
      return abandoned
    },
    use(next) {
      current = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = toRequest(incoming, await text(incoming), (calls += 1))
    if (remembers) requests.push(request)
    response.once('close', () => onEnded?.(request, response.writableFinished))
    await send(response, request, await current(request))
  }
}

/** Replies in turn; the last one stays. */
export function inTurn(...replies: readonly ScriptedReply[]): Script {
  let next = 0
  return () => replies[Math.min(next++, replies.length - 1)] ?? {}
}

type RequestBody = Readonly<Record<string, unknown>>

function toRequest(incoming: IncomingMessage, json: string, number: number): ScriptedRequest {
  const body = JSON.parse(json) as RequestBody
  const path = incoming.url ?? ''
  const shape = path.includes('/messages') ? 'anthropic' : 'openai'
  return {
    number,
    shape,
    path,
    headers: incoming.headers,
    body,
    tools: toolNames(body),
    text: [...textsIn([body['system'], body['messages']])].join('\n'),
  }
}

function toolNames({ tools }: RequestBody): readonly string[] {
  if (!Array.isArray(tools)) return []
  return tools.map((tool: { name?: string; function?: { name: string } }) =>
    String(tool.function?.name ?? tool.name),
  )
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  for (const part of Object.values(value)) yield* textsIn(part)
}

const streams: Readonly<Record<ScriptedRequest['shape'], ReplyStream>> = {
  openai: streamOpenai,
  anthropic: streamAnthropic,
}

async function send(
  response: ServerResponse,
  request: ScriptedRequest,
  reply: ScriptedReply,
): Promise<void> {
  if (reply.delayMs !== undefined) await setTimeout(reply.delayMs)
  const { status = 200, headers = {} } = reply
  if (status !== 200) {
    const error = { type: 'scripted_error', message: reply.error ?? 'scripted failure' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ type: 'error', error }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  const model = String(request.body['model'])
  const chunks = reply.rawChunks ?? streams[request.shape](reply, model)
  if (reply.silent === true) {
    response.write(chunks[0] ?? '\n')
    return
  }
  if (reply.beforeWord !== undefined) return await sendHaltingly(response, chunks, reply.beforeWord)
  await sendChunks(response, chunks, reply)
}

/** The first chunk opens the answer, and then comes a word a chunk. */
async function sendHaltingly(
  response: ServerResponse,
  chunks: readonly string[],
  beforeWord: NonNullable<ScriptedReply['beforeWord']>,
): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    await beforeWord(index - 1)
    response.write(chunk)
  }
  response.end()
}

async function sendChunks(
  response: ServerResponse,
  chunks: readonly string[],
  { cutAfterBytes, endAfterBytes, pauseMs }: ScriptedReply,
): Promise<void> {
  const bytes = Buffer.from(chunks.join(''))
  if (cutAfterBytes !== undefined && cutAfterBytes < bytes.length) {
    response.write(bytes.subarray(0, cutAfterBytes), () => response.destroy())
    return
  }
  if (endAfterBytes !== undefined) {
    response.end(bytes.subarray(0, endAfterBytes))
    return
  }
  for (const chunk of chunks) {
    if (pauseMs !== undefined) await setTimeout(pauseMs)
    if (response.destroyed) return
    response.write(chunk)
  }
  response.end()
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
