import type { Entry } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { entriesAtRest, openHouse, providerEnv } from './support/open-house.ts'
import { startScriptedProvider } from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'

/** How many turns run at once, at most, told by the stream: a turn runs from its decision to its outcome. */
function mostTurnsAtOnce(entries: readonly Entry[]): number {
  let running = 0
  let most = 0
  for (const { kind, body } of entries) {
    if (kind === 'signal.thread_director.decision' && body.speaker !== null) running += 1
    if (kind === 'signal.thread_director.outcome') running -= 1
    most = Math.max(most, running)
  }
  return most
}

test('[D4] a burst from two people is one turn at a time, and each message is covered once', async () => {
  await using provider = await startScriptedProvider(({ tools }) =>
    tools.includes('decide')
      ? { toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'It fits.' } }] }
      : { text: 'All in one answer.', delayMs: 50 },
  )
  await using house = await openHouse(
    providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
  )
  const { url } = await house.owner.invite()
  const { client: ben } = await signIn(url, 'Ben')
  const { people } = await house.owner.people()
  const { bots } = await house.owner.bots.list()
  const thread = await house.owner.threads.create({
    people: people.map(({ id }) => id),
    bots: bots.map(({ id }) => id),
  })
  const words = ['one thing', 'and another', 'which of both?', 'the second one', 'is that right?']
  const posted = await Promise.all(
    words.map((text, index) =>
      (index % 2 === 0 ? house.owner : ben).threads.append(thread.id, { kind: 'chat', text }),
    ),
  )

  const entries = await entriesAtRest(house.owner, thread.id)
  const acknowledged = posted.map(({ seq }, index) => ({ seq, text: words[index] ?? '' }))
  expect(checkStream(entries, { quiet: true, acknowledged })).toEqual([])
  expect(mostTurnsAtOnce(entries)).toBe(1)
  const paid = entries.filter(
    ({ kind, body }) => kind === 'signal.thread_director.decision' && body.kind === 'paid',
  )
  expect([1, 2]).toContain(paid.length)
  expect(house.errors).toEqual([])
})
