import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Database } from '../packages/core/db/executor.ts'
import type { Clock } from '../packages/core/dispatch/clock.ts'
import { spendOfDecision } from '../packages/core/models/ledger.ts'
import type { Model } from '../packages/core/models/model.ts'
import { loadPiAiModels } from '../packages/core/models/pi-ai-model.ts'
import { eachEngine } from './support/each-engine.ts'
import {
  inTurn,
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'
import { type Scene, sceneWith } from './support/turn-scene.ts'

const KINDS = ['openai', 'anthropic'] as const
type Kind = (typeof KINDS)[number]

let provider: ScriptedProvider
let models: ReadonlyMap<Kind, Model>

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({}))
  const served = [{ id: 'm', inputPrice: 0, outputPrice: 0, contextWindow: 90_000, maxOutput: 999 }]
  const loaded = await loadPiAiModels({
    defaultModel: undefined,
    keys: new Map(),
    providers: [
      { name: 'openai-like', kind: 'openai', baseUrl: provider.openaiBaseUrl, models: served },
      {
        name: 'anthropic-like',
        kind: 'anthropic',
        baseUrl: provider.anthropicBaseUrl,
        models: served,
      },
    ],
  })
  models = new Map(
    KINDS.flatMap((kind, at) => (loaded[at] === undefined ? [] : [[kind, loaded[at]]])),
  )
})

afterAll(() => provider[Symbol.asyncDispose]())

function modelOf(kind: Kind): Model {
  const model = models.get(kind)
  if (model === undefined) throw new Error(`no ${kind}`)
  return model
}

/** Waits for a provider pass at once and are recorded; watchdogs sleep until they are dismissed. */
function hastyClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => 1,
    async sleep(ms, signal) {
      if (ms < 60_000) waits.push(ms)
      else if (!signal.aborted)
        await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    },
  }
}

describe.each(KINDS)('a stream of the %s kind', (kind) => {
  const TEXT = 'größer 🎉 und ganz'
  const call = (reply: ScriptedReply) => {
    provider.use(() => reply)
    const { signal } = new AbortController()
    const request = {
      systemPrompt: '',
      messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }],
      tools: [],
    }
    return modelOf(kind).call(request, { signal, onEvent: () => undefined })
  }

  test('[R-27] cut after any number of bytes is whole or has failed, and never shows broken text', async () => {
    const outcomes = new Set<string>()
    for (let cutAfterBytes = 0; cutAfterBytes < 1_600; cutAfterBytes += 13) {
      const reply = await call({ text: TEXT, cutAfterBytes })
      outcomes.add(reply.status)
      const said = reply.status === 'ok' ? JSON.stringify(reply.message.content) : reply.partial
      const whole = JSON.stringify([{ type: 'text', text: TEXT }])
      expect(reply.status === 'ok' ? said === whole : TEXT.startsWith(said)).toBe(true)
    }
    expect(outcomes).toEqual(new Set(['ok', 'failed']))
  })

  test('[R-27] cut inside a call is no call', async () => {
    for (let cutAfterBytes = 200; cutAfterBytes < 900; cutAfterBytes += 29) {
      const args = { path: 'ä'.repeat(100) }
      const reply = await call({ toolCalls: [{ name: 'look', args }], cutAfterBytes })
      const content = reply.status === 'ok' ? reply.message.content : []
      const calls = content.flatMap((block) => (block.type === 'toolCall' ? [block.arguments] : []))
      expect(calls).toEqual(reply.status === 'ok' ? [args] : [])
    }
  })
})

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  interface HttpScene extends Scene {
    readonly waits: readonly number[]
  }
  const sceneOf = (kind: Kind, ...replies: readonly ScriptedReply[]): HttpScene => {
    provider.use(inTurn(...replies))
    const clock = hastyClock()
    return { ...sceneWith(db, modelOf(kind), clock), waits: clock.waits }
  }

  describe.each(KINDS)('a turn on a provider of the %s kind', (kind) => {
    test('[R-25] waits as long as it is asked to, and both requests are on the books', async () => {
      const busy = { status: 429, error: 'busy', headers: { 'retry-after': '2' } }
      const scene = sceneOf(kind, busy, { text: 'here' })
      expect(await scene.run()).toMatchObject({ status: 'replied', text: 'here', rounds: 1 })
      expect(scene.waits).toEqual([2_000])
      const spend = await spendOfDecision(db, {
        threadId: scene.threadId,
        decision: 1,
        purpose: 'turn',
      })
      expect([spend.calls, spend.unsettled, spend.usage.output]).toEqual([2, 0, 5])
    })

    test('[R-27] whose stream is cut once has one whole reply', async () => {
      const scene = sceneOf(
        kind,
        { text: 'half a thought and more', cutAfterBytes: 900 },
        { text: 'whole' },
      )
      expect(await scene.run()).toMatchObject({ status: 'replied', text: 'whole', rounds: 1 })
      expect(scene.stored().length).toBe(1)
      expect(scene.shown.slice(scene.shown.indexOf('/') + 1).join('')).toBe('whole')
    })

    test('[R-29] mends calls that are wrong in any way', async () => {
      const wrong: readonly ScriptedReply[] = [
        { toolCalls: [{ name: 'read_file', args: '{"path": "a' }] },
        {
          toolCalls: [
            { name: 'read_file', args: '["a"]' },
            { name: 'look', args: {} },
          ],
        },
        {
          toolCalls: [
            { name: 'read_file', args: String.raw`{"path": "\UXXXXXXXX"}` },
            { name: 'look', args: {} },
          ],
        },
        {
          toolCalls: [
            { name: 'drop_database', args: {} },
            { name: 'look', args: {} },
          ],
        },
        {
          toolCalls: [
            { id: '', name: 'look', args: {} },
            { id: 'same', name: 'look', args: {} },
            { id: 'same', name: 'look', args: {} },
          ],
        },
        {
          toolCalls: [{ name: 'write_file', args: { path: 'a', content: 'x'.repeat(5_000_000) } }],
        },
      ]
      for (const reply of wrong) {
        const scene = sceneOf(kind, reply, { text: 'mended' })
        expect(await scene.run()).toMatchObject({ status: 'replied', text: 'mended', rounds: 2 })
        const stored = scene.stored().map(({ body }) => JSON.stringify(body))
        const called = stored.join('').split('"toolCall"').length - 1
        const results = scene.stored().filter((entry) => entry.kind === 'pi.tool_result')
        expect([results.length, called > 0]).toEqual([called, true])
      }
    })

    test('[R-29] ends cleanly where a model mends nothing', async () => {
      const scene = sceneOf(kind, { toolCalls: [{ name: 'drop_database', args: {} }] })
      expect(await scene.run()).toMatchObject({
        status: 'failed',
        rounds: 3,
        error: expect.stringMatching(
          /^no call could be run 3 times in a row: unknown_tool/,
        ) as string,
      })
    })

    test.each([
      ['nothing', {}, { status: 'silent' }],
      ['blanks', { text: ' \n ' }, { status: 'silent' }],
      ['a cut answer', { text: 'half', stop: 'length' }, { status: 'failed', partial: 'half' }],
      ['a refusal in words', { text: 'I cannot help with that.' }, { status: 'replied' }],
    ] as const)('[R-30] has an outcome for %s', async (_, reply, outcome) => {
      expect(await sceneOf(kind, reply).run()).toMatchObject(outcome)
    })

    test('[R-31] ends at its bound where a model calls tools for ever', async () => {
      const calls = provider.calls
      const scene = sceneOf(kind, { toolCalls: [{ name: 'look', args: {} }] })
      expect(await scene.run()).toMatchObject({ status: 'limit', because: '24 rounds', rounds: 25 })
      expect(provider.calls - calls).toBe(25)
      expect(provider.requests.at(-1)?.tools).toEqual([])
      expect(scene.ran.length).toBe(24)
    })
  })
})
