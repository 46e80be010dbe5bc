import type { Entry } from '@arbe/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { callPairsOf } from './support/call-pairs.ts'
import { eachEngine } from './support/each-engine.ts'
import { openHeldHouse } from './support/held-house.ts'
import { modelsOfKinds, type ProviderKind, PROVIDER_KINDS } from './support/models-of-kinds.ts'
import { entriesAtRest, entriesUntil, type OpenHouse, openHouse } from './support/open-house.ts'
import {
  inTurn,
  type ScriptedProvider,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedProvider,
} from './support/scripted-provider.ts'

const closing = new AsyncDisposableStack()
let provider: ScriptedProvider
let house: OpenHouse

beforeAll(async () => {
  provider = closing.use(await startScriptedProvider(() => ({})))
  const { openaiBaseUrl: openai, anthropicBaseUrl: anthropic } = provider
  const providers = Object.entries({ openai, anthropic }).map(([kind, baseUrl]) => ({
    name: `scripted-${kind}`,
    kind,
    baseUrl,
    apiKey: 'a-key',
    models: [{ id: 'm', inputPrice: 0, outputPrice: 0 }],
  }))
  house = closing.use(await openHouse({ ARBE_PROVIDERS: JSON.stringify(providers) }))
})
afterAll(() => closing.disposeAsync())

const write = (n: number) => ({
  name: 'write_file',
  args: { path: `${n}.txt`, content: 'a line\n' },
})
const writes = (count: number) => Array.from({ length: count }, (_, n) => write(n))

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  test.each(PROVIDER_KINDS)(
    '[F8] a provider of the %s kind is asked validly after a Stop between two calls of a round',
    async (kind) => {
      const hold = { name: 'hold', args: {} }
      provider.use(
        inTurn({ toolCalls: [write(0), hold, write(1), write(2)] }, { text: 'On I go.' }),
      )
      const model = (await modelsOfKinds(provider))(kind)
      await using held = await openHeldHouse(db, model, '@ada write them all')
      const isQuiet = () => held.state?.status === 'quiet'
      await held.until(() => held.state?.status === 'speaking' && held.state.tool === 'hold')
      await held.say({ kind: 'thread.stop' })
      await held.until(isQuiet)
      const before = provider.calls
      await held.say({ kind: 'chat', text: '@ada go on' })
      await held.until(() => provider.calls > before && isQuiet())

      const { results, refusedFor } = callPairsOf(lastRequest(kind))
      expect([refusedFor, results]).toEqual([
        [],
        [
          expect.stringContaining('0.txt'),
          // Calls run one after the other: of those without a result, only the first can have begun.
          expect.stringContaining('interrupted, outcome unknown'),
          expect.stringContaining('not run'),
          expect.stringContaining('not run'),
        ],
      ])
      expect(held.errors).toEqual([])
    },
  )
})

describe.each(PROVIDER_KINDS)(
  'after calls that were never run, a provider of the %s kind',
  (kind) => {
    let bot: string
    beforeAll(async () => {
      const made = await house.owner.bots.create({ name: kind, model: `scripted-${kind}/m` })
      bot = made.id
    })

    test('[F8] is asked validly where calls came past the last allowed step', async () => {
      const more = { text: 'One more.', toolCalls: [write(99)] }
      const thread = await newThread({ toolCalls: writes(66) }, more, { text: 'Going on.' })
      await thread.say('write them all')
      const entries = await entriesAtRest(house.owner, thread.id, { turns: 1 })
      expect(entries.find(isOutcome)?.body).toMatchObject({ status: 'limit', rounds: 2 })
      const last = callPairsOf(lastRequest(kind))
      expect([last.refusedFor, last.results.length]).toEqual([[], 66])
      for (const result of last.results.slice(64)) expect(result).toContain('64 tool calls')

      const { results, refusedFor } = await thread.asked('go on')
      expect([refusedFor, results.length]).toEqual([[], 66])
    })

    test('[F8] is asked validly where a call came behind one that ended the turn', async () => {
      const pass = { name: 'pass', args: { reason: 'not mine' } }
      const thread = await newThread(
        { toolCalls: [write(0), pass, write(1)] },
        { text: 'Going on.' },
      )
      await thread.say('is it yours?')
      await entriesUntil(house.owner, thread.id, isOutcome)
      const { results, refusedFor } = await thread.asked('go on')
      expect([refusedFor, results.length]).toEqual([[], 3])
      expect(results[2]).toContain('the turn has ended before this call')
    })

    /** A thread with the bot, whose model answers so; another bot is there, so that it speaks only when named. */
    async function newThread(...replies: readonly ScriptedReply[]) {
      const { bots } = await house.owner.bots.list()
      const other = bots.find(({ name }) => name === 'Ada')?.id ?? ''
      const { id } = await house.owner.threads.create({ title: '', people: [], bots: [bot, other] })
      provider.use(inTurn(...replies))
      const say = (text: string) =>
        house.owner.threads.append(id, { kind: 'chat', text: `@${kind} ${text}` })
      return {
        id,
        say,
        /** The calls in the request of the bot's second turn. */
        async asked(text: string) {
          const { seq } = await say(text)
          await entriesAtRest(house.owner, id, { turns: 2, seq })
          return callPairsOf(lastRequest(kind))
        },
      }
    }
  },
)

test('nothing broke behind all this', () => {
  expect(house.errors).toEqual([])
})

function lastRequest(kind: ProviderKind): ScriptedRequest {
  const request = provider.requests.at(-1)
  if (request?.shape !== kind) throw new Error(`the ${kind} kind was not asked last`)
  return request
}

function isOutcome(
  entry: Entry,
): entry is Extract<Entry, { kind: 'signal.thread_director.outcome' }> {
  return entry.kind === 'signal.thread_director.outcome'
}
