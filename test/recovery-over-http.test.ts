import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { gate } from './support/gate.ts'
import { entriesUntil, providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { requireOrSkip } from './support/require.ts'
import type { RunningArbe } from './support/run-arbe.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedProvider,
} from './support/scripted-provider.ts'

// A worker is killed while its provider thinks; what the next one asks is seen on the provider's side.

const THOUGHTFUL: ScriptedReply = {
  thinking: 'What is there?',
  toolCalls: [{ name: 'list_files', args: {} }],
}
const REFUSED_SIGNATURE: ScriptedReply = {
  status: 400,
  error: 'messages.1.content.0: Invalid `signature` in `thinking` block',
}
const EXPECTED_THINKING: ScriptedReply = {
  status: 400,
  error:
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
}

describe.skipIf(requireOrSkip('postgres'))('a turn whose worker was killed', () => {
  let provider: ScriptedProvider
  let cluster: Cluster
  let worker: RunningArbe
  let mia: ArbeClient
  beforeAll(async () => {
    provider = await startScriptedProvider(() => ({}))
    const env = providerEnv({ kind: 'anthropic', baseUrl: provider.anthropicBaseUrl })
    const settings = { ...env, ARBE_LEASE_MS: '2000', ARBE_SWEEP_MS: 'off' }
    cluster = await startCluster(['Mia'], settings, { workers: 1 })
    const [[client] = []] = cluster.people
    const [first] = cluster.workers
    if (client === undefined || first === undefined) throw new Error('nobody is there')
    mia = client
    worker = first
  }, 60_000)
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  const refusals: readonly (readonly [string, (form: string) => ScriptedReply | undefined])[] = [
    ['as it was', () => undefined],
    ['without its thinking', (form) => (form.includes('thinking') ? REFUSED_SIGNATURE : undefined)],
    [
      'with its calls told as text',
      (form) => {
        if (form.includes('thinking')) return REFUSED_SIGNATURE
        return form.includes('tool_use') ? EXPECTED_THINKING : undefined
      },
    ],
  ]
  const FORMS = ['thinking+tool_use, tool_result', 'tool_use, tool_result', '']

  test.each(refusals)(
    '[R-33][D7] goes on where its provider takes back what was thought %s, and no call is made twice',
    { timeout: 60_000 },
    async (way, refuse) => {
      const forms: string[] = []
      const threadId = await killedWhen({
        isIt: hasResult,
        otherwise: () => THOUGHTFUL,
        afterwards: (request) => {
          const form = formOf(request)
          forms.push(form)
          return refuse(form) ?? { text: 'Nothing is there.' }
        },
      })
      const entries = await ended(threadId)
      expect(summary(entries)).toEqual({
        said: ['@ada hello', 'Nothing is there.'],
        results: ['list_files'],
        outcomes: ['replied'],
      })
      expect(checkStream(entries, { quiet: false })).toEqual([])
      expect(forms).toEqual(FORMS.slice(0, refusals.findIndex(([name]) => name === way) + 1))
    },
  )

  test(
    '[R-32] is interrupted where its provider takes back what was thought in no form',
    { timeout: 60_000 },
    async () => {
      const forms: string[] = []
      const threadId = await killedWhen({
        isIt: hasResult,
        otherwise: () => THOUGHTFUL,
        afterwards: (request) => {
          forms.push(formOf(request))
          return REFUSED_SIGNATURE
        },
      })
      const entries = await ended(threadId)
      expect(summary(entries)).toEqual({
        said: ['@ada hello'],
        results: ['list_files'],
        outcomes: ['interrupted: history_refused'],
      })
      expect(forms).toEqual(FORMS)
    },
  )

  test.each([
    ['muted', (id: string, bot: string) => mute(id, bot)],
    ['removed', (id: string, bot: string) => mia.threads.edit(id, { removeBots: [bot] })],
  ] as const)(
    'and whose bot was %s meanwhile, before it had said anything, asks no model any more',
    { timeout: 60_000 },
    async (_, sendAway) => {
      const asked: ScriptedRequest[] = []
      const threadId = await killedWhen({
        isIt: () => true,
        otherwise: () => ({}),
        afterwards: (request) => {
          asked.push(request)
          return { text: 'Here.' }
        },
        meanwhile: (id, bot) => sendAway(id, bot),
      })
      const entries = await ended(threadId)
      expect(summary(entries)).toEqual({
        said: ['@ada hello'],
        results: [],
        outcomes: ['cancelled: speaker_left'],
      })
      expect(asked).toEqual([])
    },
  )

  /** Kills the worker that waits for the answer to the request meant, and has another one take its thread over. */
  async function killedWhen(story: {
    readonly isIt: (request: ScriptedRequest) => boolean
    readonly otherwise: (request: ScriptedRequest) => ScriptedReply
    readonly afterwards: (request: ScriptedRequest) => ScriptedReply
    readonly meanwhile?: (threadId: string, bot: string) => Promise<unknown>
  }): Promise<string> {
    const [asked, given] = [gate(), gate()]
    let isKilled = false
    provider.use((request) => {
      if (isKilled) return story.afterwards(request)
      if (!story.isIt(request)) return story.otherwise(request)
      asked.open()
      return given.passed.then(() => ({}))
    })
    const { bots } = await mia.bots.list()
    const bot = bots.find(({ name }) => name === 'Ada')?.id ?? ''
    const { id } = await mia.threads.create({ bots: [bot] })
    await mia.threads.append(id, { kind: 'chat', text: '@ada hello' })
    await asked.passed
    worker.child.kill('SIGKILL')
    await worker.ended
    isKilled = true
    given.open()
    await story.meanwhile?.(id, bot)
    worker = await cluster.addWorker()
    return id
  }

  function mute(id: string, bot: string): Promise<unknown> {
    return mia.threads.edit(id, { mutes: [{ bot, muted: true }] })
  }

  function ended(threadId: string): Promise<readonly Entry[]> {
    const outcome = 'signal.thread_director.outcome'
    return entriesUntil(mia, threadId, ({ kind }) => kind === outcome)
  }
})

function hasResult(request: ScriptedRequest): boolean {
  return formOf(request) !== ''
}

/** The kinds of blocks in which the request tells of calls and what came of them. */
function formOf({ body }: ScriptedRequest): string {
  const messages = body['messages'] as readonly { readonly content: unknown }[]
  return messages
    .map(({ content }) => (Array.isArray(content) ? content.map(({ type }) => String(type)) : []))
    .map((types) => types.filter((type) => type !== 'text').join('+'))
    .filter((types) => types !== '')
    .join(', ')
}

function summary(entries: readonly Entry[]) {
  return {
    said: ofKind(entries, 'chat').map(({ body }) => body.text),
    results: ofKind(entries, 'pi.tool_result').map(({ body }) => body.tool),
    outcomes: ofKind(entries, 'signal.thread_director.outcome').map(({ body }) =>
      [body.status, body.because].filter((part) => part !== undefined).join(': '),
    ),
  }
}
