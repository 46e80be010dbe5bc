import type { Entry } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { entriesUntil, openHouse, providerEnv } from './support/open-house.ts'
import { startScriptedProvider } from './support/scripted-provider.ts'

const ruleOf = (entry: Entry): string | undefined =>
  entry.kind === 'signal.thread_director.decision' ? entry.body.rule : undefined

test('a provider that answers garbage is called for three decisions and then left alone', async () => {
  await using provider = await startScriptedProvider(() => ({ text: 'Let us all sing.' }))
  await using house = await openHouse({
    ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
    ARBE_QUIET_MS: '0',
  })
  const bots: string[] = []
  for (const name of ['Kim', 'Lou']) bots.push((await house.owner.bots.create({ name })).id)
  const { id } = await house.owner.threads.create({ bots })

  const texts = ['one', 'two', 'three', 'four', 'five']
  const rules: (string | undefined)[] = []
  for (const text of texts) {
    const { seq } = await house.owner.threads.append(id, { kind: 'chat', text })
    const entries = await entriesUntil(house.owner, id, (entry) => {
      return entry.seq > seq && ruleOf(entry) !== undefined
    })
    rules.push(entries.map(ruleOf).at(-1))
  }
  expect(rules).toEqual(['no_answer', 'no_answer', 'no_answer', 'model_paused', 'model_paused'])
  // Each of the three was asked about once more, as after every answer that is no choice.
  expect(provider.calls).toBe(6)

  provider.use(() => ({ text: 'Here I am.' }))
  await house.owner.threads.append(id, { kind: 'thread.ask', bot: bots[0] ?? '' })
  const mended = await entriesUntil(house.owner, id, (entry) => ruleOf(entry) === 'bot_spoke')
  expect(mended.flatMap((entry) => (entry.kind === 'chat' ? [entry.body.text] : []))).toEqual([
    ...texts,
    'Here I am.',
  ])
  expect(provider.calls).toBe(7)
  expect(house.errors).toEqual([])
})
