import type { Entry, EntryOf } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { entriesAtRest, type OpenHouse, openHouse, providerEnv } from './support/open-house.ts'
import { type ScriptedRequest, startScriptedProvider } from './support/scripted-provider.ts'

const POEM = 'Rain writes\non every roof.'

/** Writes a poem when asked for one, decides for the first candidate, and answers anything else in a word. */
function poet({ tools, text }: ScriptedRequest) {
  if (tools.includes('decide')) {
    return { toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'First come.' } }] }
  }
  if (text.includes('File written: poem.txt')) return { text: 'It is in poem.txt.' }
  if (text.includes('poem')) {
    const args = { path: 'poem.txt', content: POEM }
    return { text: 'Writing.', toolCalls: [{ name: 'write_file', args }] }
  }
  return { text: 'Yes?' }
}

async function say(house: OpenHouse, text: string): Promise<readonly Entry[]> {
  const { bots } = await house.owner.bots.list()
  const thread = await house.owner.threads.create({ bots: bots.map(({ id }) => id) })
  await house.owner.threads.append(thread.id, { kind: 'chat', text })
  return await entriesAtRest(house.owner, thread.id)
}

const lastOutcome = (entries: readonly Entry[]) =>
  entries.findLast(
    (entry): entry is EntryOf<'signal.thread_director.outcome'> =>
      entry.kind === 'signal.thread_director.outcome',
  )?.body

const lines = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'chat') return [`${entry.authorKind}: ${entry.body.text}`]
    return entry.kind === 'pi.tool_result' ? [`${entry.body.tool}: ${entry.body.text}`] : []
  })

describe.each(['openai', 'anthropic'] as const)('over a provider of the %s shape', (kind) => {
  test('a bot writes the file it is asked for and says so', async () => {
    await using provider = await startScriptedProvider(poet)
    const baseUrl = kind === 'openai' ? provider.openaiBaseUrl : provider.anthropicBaseUrl
    await using house = await openHouse(providerEnv({ kind, baseUrl }))
    const entries = await say(house, '@ada write a poem into poem.txt')
    expect(lines(entries)).toEqual([
      'person: @ada write a poem into poem.txt',
      'write_file: File written: poem.txt',
      'bot: It is in poem.txt.',
    ])
    expect(await house.owner.files.read('poem.txt')).toMatchObject({ content: POEM })
    expect(provider.requests.map(({ shape }) => shape)).toEqual([kind, kind])
    expect(house.errors).toEqual([])
  })

  test('a refused key is a failed turn with its reason, and the thread goes on', async () => {
    await using provider = await startScriptedProvider(() => ({
      status: 401,
      error: 'this key was revoked',
    }))
    const baseUrl = kind === 'openai' ? provider.openaiBaseUrl : provider.anthropicBaseUrl
    await using house = await openHouse(providerEnv({ kind, baseUrl, apiKey: 'secret-key-123456' }))
    const failed = lastOutcome(await say(house, '@ada hello'))
    expect(failed).toMatchObject({ status: 'failed', closes: true })
    expect(failed?.error).toContain('this key was revoked')
    expect(JSON.stringify(failed)).not.toContain('secret-key-123456')
    provider.use(poet)
    expect(lines(await say(house, '@ada hello again')).at(-1)).toBe('bot: Yes?')
  })
})

test('a provider that falls silent in the middle is a failed turn with its reason', async () => {
  await using provider = await startScriptedProvider(() => ({ text: 'And so', silent: true }))
  const settings = providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl })
  await using house = await openHouse({ ...settings, ARBE_MODEL_IDLE_MS: '300' })
  const failed = lastOutcome(await say(house, '@ada hello'))
  expect(failed?.status).toBe('failed')
  expect(failed?.error).toMatch(/silent|nothing/)
})

test('a provider that is not there is a failed turn with its reason', async () => {
  const nowhere = 'http://127.0.0.1:9/v1'
  await using house = await openHouse(providerEnv({ kind: 'openai', baseUrl: nowhere }))
  const failed = lastOutcome(await say(house, '@ada hello'))
  expect(failed?.status).toBe('failed')
  expect(failed?.error).toMatch(/connect|refused|ECONNREFUSED/i)
})
