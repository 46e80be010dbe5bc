import { afterAll, beforeAll, expect, test } from 'vitest'
import { entriesUntil, type OpenHouse, openHouse } from './support/open-house.ts'

let house: OpenHouse
beforeAll(async () => {
  // Far longer than a test may take: only a hint brings a worker to look.
  house = await openHouse({ ARBE_POLL_MS: '600000', ARBE_SWEEP_MS: 'off', ARBE_QUIET_MS: '0' })
})
afterAll(() => house[Symbol.asyncDispose]())

const low = { perBot: 1, perThread: 1 }
const high = { perBot: 9, perThread: 9 }

/** kim has spoken, and lou waits at the limit for the turn that it is owed. */
async function owingThread() {
  const { bots: botsApi, threads } = house.owner
  const [kim, lou] = [await botsApi.create({ name: 'Kim' }), await botsApi.create({ name: 'Lou' })]
  const { id } = await threads.create({ bots: [kim.id, lou.id] })
  await threads.edit(id, { limits: low })
  await threads.append(id, { kind: 'chat', text: `@${kim.handle} @${lou.handle} hello` })
  await entriesUntil(house.owner, id, isDecision('bot_spoke'))
  return { id, lou: lou.id }
}

const isDecision =
  (rule: string) =>
  ({ kind, body }: { readonly kind: string; readonly body: object }): boolean =>
    kind === 'signal.thread_director.decision' && 'rule' in body && body.rule === rule

test.each<[string, (thread: { id: string; lou: string }) => Promise<unknown>]>([
  ['higher limits', ({ id }) => house.owner.threads.edit(id, { limits: high })],
  [
    'a mode of the thread',
    async ({ id, lou }) => {
      const { threads } = house.owner
      await threads.edit(id, { modes: [{ bot: lou, mode: 'never' }], limits: high })
      await threads.edit(id, { modes: [{ bot: lou, mode: 'mention' }] })
    },
  ],
  [
    'a mode of the bot',
    async ({ id, lou }) => {
      await house.owner.bots.edit(lou, { triggerMode: 'never' })
      await house.owner.threads.edit(id, { limits: high })
      await house.owner.bots.edit(lou, { triggerMode: 'mention' })
    },
  ],
])('[L13] %s by which a bot may pay its debt acts at once, without a poll', async (_, change) => {
  const thread = await owingThread()
  await change(thread)
  const entries = await entriesUntil(house.owner, thread.id, isDecision('debt'))
  expect(entries.at(-1)?.body).toMatchObject({ speaker: thread.lou })
  expect(house.errors).toEqual([])
})
