import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Model, ModelReply } from '../packages/core/models/model.ts'
import { streamAnthropic } from './support/anthropic-stream.ts'
import { modelsOfKinds, type ProviderKind, PROVIDER_KINDS } from './support/models-of-kinds.ts'
import { streamOpenai } from './support/openai-stream.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'

const STREAMS = { openai: streamOpenai, anthropic: streamAnthropic }

let provider: ScriptedProvider
let modelOf: (kind: ProviderKind) => Model

beforeAll(async () => {
  // Else the library says each broken event on the console as well.
  vi.stubEnv('OPENAI_LOG', 'off')
  provider = await startScriptedProvider(() => ({}))
  modelOf = await modelsOfKinds(provider)
})
afterAll(() => provider[Symbol.asyncDispose]())

const TEXT = 'größer 🎉 und ganz'
const ARGS = { path: 'größe.txt', content: 'ä🎉'.repeat(20) }
const FULL: ScriptedReply = {
  thinking: 'überlegt 🤔',
  text: TEXT,
  toolCalls: [{ name: 'look', args: ARGS }],
}

describe.each(PROVIDER_KINDS)('a stream of the %s kind', (kind) => {
  const call = (reply: ScriptedReply): Promise<ModelReply> => {
    provider.use(() => reply)
    const { signal } = new AbortController()
    const messages = [{ role: 'user' as const, content: 'hi', timestamp: 1 }]
    const request = { systemPrompt: '', messages, tools: [] }
    return modelOf(kind).call(request, { signal, onEvent: () => undefined })
  }
  const chunks = STREAMS[kind](FULL, 'm')

  test.each([
    ['breaks off', (bytes: number) => ({ cutAfterBytes: bytes })],
    ['ends in good order', (bytes: number) => ({ endAfterBytes: bytes })],
  ])(
    '[R-27] that %s between any two events, inside any, and inside any character is whole or worth another try',
    async (_, cutAt) => {
      const whole = await call(FULL)
      expect(contentOf(whole)).toMatchObject([
        { type: 'thinking', thinking: FULL.thinking },
        { type: 'text', text: TEXT },
        { type: 'toolCall', name: 'look', arguments: ARGS },
      ])
      const failed: object[] = []
      for (const bytes of cutsOf(chunks)) {
        const reply = await call({ ...FULL, ...cutAt(bytes) })
        if (!isDeepStrictEqual(contentOf(reply), contentOf(whole)))
          failed.push({ bytes, ...told(reply) })
      }
      expect(failed.length).toBeGreaterThan(100)
      expect(failed.filter((one) => !isDeepStrictEqual(one, { ...one, ...ANOTHER_TRY }))).toEqual(
        [],
      )
    },
  )

  test.each([
    ['is empty', []],
    ['is a gateway’s JSON', ['{"error":{"message":"bad gateway"}}']],
    ['is a gateway’s page', ['<html>bad gateway</html>']],
    ['breaks off with an error of its own', [...chunks.slice(0, 3), errorEvent(kind)]],
  ])('that %s is worth another try', async (_, rawChunks) => {
    expect(told(await call({ rawChunks }))).toMatchObject(ANOTHER_TRY)
  })

  test('[R-30] that ends in a refusal has failed with what was said, and is not tried again', async () => {
    const rawChunks = STREAMS[kind]({ text: TEXT }, 'm').map((chunk) =>
      chunk.replace('"end_turn"', '"refusal"').replace('"stop"', '"content_filter"'),
    )
    const calls = provider.calls
    const reply = await call({ rawChunks })
    expect(reply).toMatchObject({ status: 'failed', partial: TEXT })
    expect(told(reply)).toMatchObject({ retryable: false, down: false })
    expect(provider.calls - calls).toBe(1)
  })
})

/** Around every event, at every second byte of a character, and on the way. */
function cutsOf(chunks: readonly string[]): readonly number[] {
  const bytes = Buffer.from(chunks.join(''))
  const cuts = new Set<number>([0])
  let end = 0
  for (const chunk of chunks) {
    end += Buffer.byteLength(chunk)
    for (const at of [end - 2, end - 1, end, end + 1]) cuts.add(at)
  }
  for (const [at, byte] of bytes.entries()) if (byte >> 6 === 0b10) cuts.add(at)
  for (let at = 0; at < bytes.length; at += 97) cuts.add(at)
  return [...cuts].filter((at) => at < bytes.length).toSorted((a, b) => a - b)
}

function errorEvent(kind: ProviderKind): string {
  const error = { type: 'overloaded_error', message: 'Overloaded' }
  return kind === 'openai'
    ? `data: ${JSON.stringify({ error })}\n\n`
    : `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`
}

function contentOf(reply: ModelReply): unknown {
  return reply.status === 'ok' ? reply.message.content : reply
}

const ANOTHER_TRY = { retryable: true, down: true, isPartOfIt: true }

function told(reply: ModelReply): object {
  if (reply.status !== 'failed') return reply
  const { retryable, down, partial } = reply
  return { retryable, down, isPartOfIt: TEXT.startsWith(partial) }
}
