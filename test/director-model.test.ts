import type { Entry } from '@arbe/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesAtRest, type OpenHouse, openHouse } from './support/open-house.ts'
import { runArbe } from './support/run-arbe.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

let provider: ScriptedProvider
let house: OpenHouse
let threadId: string

beforeAll(async () => {
  provider = await startScriptedProvider(() => ({
    toolCalls: [{ name: 'decide', args: { pick: 'nobody', reason: 'small talk' } }],
  }))
  const settings = { name: 'scripted', kind: 'openai', baseUrl: provider.openaiBaseUrl }
  const models = ['m', 'n'].map((id) => ({ id }))
  house = await openHouse({
    ARBE_PROVIDERS: JSON.stringify([{ ...settings, apiKey: 'a-key', models }]),
  })
  const { owner } = house
  const bots = await Promise.all(['Kim', 'Lou'].map((name) => owner.bots.create({ name })))
  threadId = (await owner.threads.create({ bots: bots.map(({ id }) => id) })).id
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** The model that was asked who should speak. */
async function asked(text: string): Promise<string | undefined> {
  const { seq } = await house.owner.threads.append(threadId, { kind: 'chat', text })
  const entries = await entriesAtRest(house.owner, threadId, { seq })
  return entries.findLast(isDecision)?.body.model
}

type DecisionEntry = Extract<Entry, { readonly kind: 'signal.thread_director.decision' }>
const isDecision = (entry: Entry): entry is DecisionEntry =>
  entry.kind === 'signal.thread_director.decision'

test('the house says which model chooses, from the next decision on, and takes it back', async () => {
  const { owner } = house
  expect(await asked('Who knows the tides?')).toBe('scripted/m')
  const changed = await owner.house.edit({ directorModel: 'scripted/n' })
  expect(changed.house.directorModel).toBe('scripted/n')
  expect(await asked('And the moon?')).toBe('scripted/n')
  await owner.house.edit({ name: 'Harbour' })
  expect((await owner.me()).house).toMatchObject({ name: 'Harbour', directorModel: 'scripted/n' })
  await owner.house.edit({ directorModel: '' })
  expect((await owner.me()).house).toMatchObject({ name: 'Harbour', directorModel: '' })
  expect(await asked('And the wind?')).toBe('scripted/m')
})

test('a model that is not configured is refused, and with it all of the change', async () => {
  const { owner } = house
  const before = await owner.me()
  await expect(owner.house.edit({ name: 'Other', directorModel: 'scripted/x' })).rejects.toThrow(
    'No model "scripted/x" is configured here.',
  )
  expect(await owner.me()).toEqual(before)
})

test('the command line sets it, and says how it stands where nothing is set', async () => {
  const env = { ARBE_URL: house.url, ARBE_TOKEN: house.ownerToken }
  await house.owner.house.edit({ name: 'Harbour', directorModel: '' })
  const set = (...options: string[]) => runArbe(['house', 'set', ...options], { env })
  expect(await set()).toEqual({
    code: 0,
    stdout: 'Harbour  speakers are chosen by the default model\n',
    stderr: '',
  })
  expect(await set('--director-model', 'scripted/n', '--name', 'Pier')).toEqual({
    code: 0,
    stdout: 'Pier  speakers are chosen by scripted/n\n',
    stderr: '',
  })
  expect((await house.owner.me()).house).toMatchObject({ directorModel: 'scripted/n' })
})
