import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Database } from '../packages/core/db/executor.ts'
import type { Clock } from '../packages/core/dispatch/clock.ts'
import { createCircuit } from '../packages/core/models/circuit.ts'
import { spendOfDecision } from '../packages/core/models/ledger.ts'
import type { Model } from '../packages/core/models/model.ts'
import { streamAnthropic } from './support/anthropic-stream.ts'
import { eachEngine } from './support/each-engine.ts'
import { modelsOfKinds, type ProviderKind, PROVIDER_KINDS } from './support/models-of-kinds.ts'
import { streamOpenai } from './support/openai-stream.ts'
import {
  inTurn,
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
} from './support/scripted-provider.ts'
import { type Scene, sceneWith } from './support/turn-scene.ts'

let provider: ScriptedProvider
let modelOf: (kind: ProviderKind) => Model

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({}))
  modelOf = await modelsOfKinds(provider)
})

afterAll(() => provider[Symbol.asyncDispose]())

/** Waits for a provider pass at once and are recorded; watchdogs sleep until they are dismissed. */
function hastyClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => 1,
    async sleep(ms, signal) {
      if (ms <= 60_000) waits.push(ms)
      else if (!signal.aborted)
        await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    },
  }
}

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  interface HttpScene extends Scene {
    readonly waits: readonly number[]
  }
  const sceneOf = (kind: ProviderKind, ...replies: readonly ScriptedReply[]): HttpScene => {
    provider.use(inTurn(...replies))
    const clock = hastyClock()
    const model = modelOf(kind)
    // Its own: no scene is spared a provider that was down in another.
    const circuit = createCircuit(model.id, () => clock.now())
    return { ...sceneWith(db, { ...model, circuit }, clock), waits: clock.waits }
  }

  const ofTurn = ({ threadId }: Scene) => ({ threadId, decision: 1, purpose: 'turn' }) as const
  const spendOf = async (scene: Scene): Promise<readonly number[]> => {
    const { calls, unsettled } = await spendOfDecision(db, ofTurn(scene))
    return [calls, unsettled]
  }

  describe.each(PROVIDER_KINDS)('a turn on a provider of the %s kind', (kind) => {
    test('[R-25] waits as long as it is asked to, and both requests are on the books', async () => {
      const busy = { status: 429, error: 'busy', headers: { 'retry-after': '2' } }
      const scene = sceneOf(kind, busy, { text: 'here' })
      expect(await scene.run()).toMatchObject({ status: 'replied', text: 'here', rounds: 1 })
      expect(scene.waits).toEqual([2_000])
      const spend = await spendOfDecision(db, ofTurn(scene))
      expect([spend.calls, spend.unsettled, spend.usage.output]).toEqual([2, 0, 5])
    })

    test('[R-25] waits for a date on the provider’s clock, and for nothing longer than a minute', async () => {
      const headers = {
        'retry-after': 'Tue, 01 Dec 2026 13:00:07 GMT',
        date: 'Tue, 01 Dec 2026 13:00:00 GMT',
      }
      const late = { status: 429, error: 'busy', headers: { 'retry-after': '3600' } }
      const scene = sceneOf(kind, { ...late, headers }, late, { text: 'here' })
      expect(await scene.run()).toMatchObject({ status: 'replied', text: 'here' })
      expect(scene.waits).toEqual([7_000, 60_000])
    })

    test.each([429, 500, 502, 503, 529])(
      '[R-26] that answers %i for ever gets four requests, all of them on the books',
      async (status) => {
        const calls = provider.calls
        const scene = sceneOf(kind, { status, error: 'not now' })
        const failed = { status: 'failed', error: `${status}: not now`, rounds: 0 }
        expect(await scene.run()).toMatchObject(failed)
        expect([scene.waits, provider.calls - calls]).toEqual([[1_000, 2_000, 4_000], 4])
        expect(await spendOf(scene)).toEqual([4, 0])
      },
    )

    test.each([400, 401, 403, 404, 422])('that answers %i gets one request', async (status) => {
      const calls = provider.calls
      const scene = sceneOf(kind, { status, error: 'no' })
      expect(await scene.run()).toMatchObject({ status: 'failed', error: `${status}: no` })
      expect([scene.waits, provider.calls - calls]).toEqual([[], 1])
      expect(await spendOf(scene)).toEqual([1, 0])
    })

    test('[R-27] whose stream is cut anywhere, and again anywhere, has one whole reply', async () => {
      const reply = { text: 'ein größerer 🎉 Gedanke' }
      const chunks = STREAMS[kind](reply, 'm')
      const bytes = Buffer.byteLength(chunks.join(''))
      for (const chunk of chunks.keys()) {
        const cutAfterBytes = Buffer.byteLength(chunks.slice(0, chunk).join(''))
        const inside = { ...reply, cutAfterBytes: (cutAfterBytes + 40) % bytes }
        const scene = sceneOf(kind, { ...reply, cutAfterBytes }, inside, { text: 'whole' })
        const outcome = await scene.run()
        // What is missing of a stream may be no more than its end mark.
        const { text } = outcome
        expect([text, outcome.status]).toEqual([
          scene.waits.length === 2 ? 'whole' : reply.text,
          'replied',
        ])
        expect(scene.stored().length).toBe(1)
        expect(scene.shown.slice(scene.shown.lastIndexOf('/') + 1).join('')).toBe(text)
        expect(await spendOf(scene)).toEqual([scene.waits.length + 1, 0])
      }
    })

    test('[R-27] whose stream is cut inside a call runs nothing of it', async () => {
      const reply = { text: 'I', toolCalls: [{ name: 'fire', args: { at: 'ä'.repeat(40) } }] }
      const bytes = Buffer.byteLength(STREAMS[kind](reply, 'm').join(''))
      for (let cutAfterBytes = 1; cutAfterBytes < bytes; cutAfterBytes += 61) {
        const scene = sceneOf(kind, { ...reply, cutAfterBytes }, { text: 'whole' })
        expect(await scene.run()).toMatchObject({ status: 'replied', text: 'whole' })
        expect(scene.ran.length).toBe(scene.waits.length === 0 ? 1 : 0)
      }
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
        { toolCalls: [{ name: 'write_file', args: '{"path": "a", "content": "raw\nnewline"}' }] },
        { toolCalls: [{ name: 'read_file', args: '"a"' }] },
        { toolCalls: [{ name: 'read_file', args: 'null' }] },
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

const STREAMS = { openai: streamOpenai, anthropic: streamAnthropic }
