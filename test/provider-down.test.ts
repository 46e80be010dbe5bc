import type { Entry } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { entriesUntil, type OpenHouse, openHouse } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { startScriptedProvider } from './support/scripted-provider.ts'

const ROUNDS = 12
const SICK_THREADS = 24

test(
  '[R-26] a model that is down for ever fails its turns with a reason, is left alone after a few, and holds up no thread of another model',
  { timeout: 120_000 },
  async () => {
    await using provider = await startScriptedProvider(({ body }) =>
      body['model'] === 'sick' ? { status: 529, error: 'Overloaded' } : { text: 'Here.' },
    )
    const models = [{ id: 'well' }, { id: 'sick' }]
    const scripted = {
      name: 'scripted',
      kind: 'openai',
      baseUrl: provider.openaiBaseUrl,
      apiKey: 'key',
    }
    await using house = await openHouse({
      ARBE_PROVIDERS: JSON.stringify([{ ...scripted, models }]),
      // Fewer places than sick threads: one that waits for its provider keeps a healthy one out.
      ARBE_TURNS_AT_ONCE: '8',
    })
    const kim = await house.owner.bots.create({ name: 'Kim', model: 'scripted/well' })
    const lou = await house.owner.bots.create({ name: 'Lou', model: 'scripted/sick' })

    const before = await answerTimes(house, kim.id)
    const sick: Promise<readonly Entry[]>[] = []
    for (let number = 0; number < SICK_THREADS; number += 1)
      sick.push(ask(house, lou.id, '@lou hello'))
    const beside = await answerTimes(house, kim.id)

    const outcomes = (await Promise.all(sick)).flatMap((entries) =>
      ofKind(entries, 'signal.thread_director.outcome').map(({ body }) => body),
    )
    expect(outcomes.map(({ status, closes }) => ({ status, closes }))).toEqual(
      sick.map(() => ({ status: 'failed', closes: true })),
    )
    const reasons = outcomes.map(({ error = '' }) => error)
    const spared = /^scripted\/sick is not answering; it is asked again at \d\d:\d\d:\d\d UTC \(529/
    expect(reasons.filter((reason) => !spared.test(reason) && !reason.startsWith('529'))).toEqual(
      [],
    )
    expect(reasons.filter((reason) => spared.test(reason)).length).toBeGreaterThan(
      SICK_THREADS - 10,
    )
    const asked = provider.requests.filter(({ body }) => body['model'] === 'sick').length
    // Eight begin together, and each may have been asked once more before the fifth failure was known.
    expect(asked).toBeLessThanOrEqual(16)
    const ratio = median(beside) / median(before)
    console.log(`${asked} requests to the sick one; another's latency ×${ratio.toFixed(2)}`)
    // A turn that waits out its retries takes seven seconds of a place.
    expect(median(beside)).toBeLessThan(Math.max(4 * median(before), 1_000))
    expect(house.errors).toEqual([])
  },
)

/** One thread after the other is asked something; how long each waited for its outcome. */
async function answerTimes(house: OpenHouse, bot: string): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await ask(house, bot, '@kim hello')
    times.push(performance.now() - begun)
  }
  return times
}

async function ask({ owner }: OpenHouse, bot: string, text: string): Promise<readonly Entry[]> {
  const { id } = await owner.threads.create({ bots: [bot] })
  await owner.threads.append(id, { kind: 'chat', text })
  return await entriesUntil(owner, id, ({ kind }) => kind === 'signal.thread_director.outcome')
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
