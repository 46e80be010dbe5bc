import { afterAll, expect, test } from 'vitest'
import { type Visitor, openHttpHouse, signIn } from '../../../../test/support/http-house.ts'

const house = await openHttpHouse()
const mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
const { body: invitation } = await mia.call('POST', '/v1/invitations', {})
const ben = await signIn(house, invitation.url, 'Ben')
const { body: cleo } = await mia.call('POST', '/v1/bots', { name: 'Cleo' })
const { body: dan } = await mia.call('POST', '/v1/bots', { name: 'Dan' })
afterAll(() => house.close())

const make = async (who: Visitor, title: string, bots: readonly string[]): Promise<void> => {
  const people = title.startsWith('both') ? [mia.id, ben.id] : []
  const { status } = await who.call('POST', '/v1/threads', { title, people, bots })
  expect(status).toBe(201)
}
await make(mia, 'both with Cleo', [cleo.id])
await make(mia, 'both with Cleo and Dan', [cleo.id, dan.id])
await make(mia, 'both with Dan', [dan.id])
await make(mia, 'Mia’s with Cleo', [cleo.id])
await make(ben, 'Ben’s with Cleo', [cleo.id])

const list = async (who: Visitor, bot: string, more = '') => {
  const { body } = await who.call('GET', `/v1/threads?bot=${bot}${more}`)
  return { titles: body.threads.map(({ title }: { title: string }) => title), next: body.next }
}

test('only threads that the bot is in are listed, and of them only those one is in oneself', async () => {
  const both = ['both with Cleo and Dan', 'both with Cleo']
  expect([
    await list(mia, cleo.id),
    await list(ben, cleo.id),
    (await list(mia, dan.id)).titles,
  ]).toEqual([
    { titles: ['Mia’s with Cleo', ...both], next: null },
    { titles: ['Ben’s with Cleo', ...both], next: null },
    ['both with Dan', 'both with Cleo and Dan'],
  ])
})

test('a bot that has left a thread is not found there any more', async () => {
  const { body } = await mia.call('POST', '/v1/threads', { title: 'left', bots: [cleo.id] })
  await mia.call('PATCH', `/v1/threads/${body.id}`, { removeBots: [cleo.id] })
  expect((await list(mia, cleo.id)).titles).not.toContain('left')
})

test('pages hold the bot’s threads alone, each once', async () => {
  const first = await list(mia, cleo.id, '&limit=2')
  const second = await list(mia, cleo.id, `&limit=2&before=${encodeURIComponent(first.next)}`)
  expect([first.titles, second]).toEqual([
    ['Mia’s with Cleo', 'both with Cleo and Dan'],
    { titles: ['both with Cleo'], next: null },
  ])
})

test.each(['agt_none', 'nonsense', '', '%27%20or%20true', mia.id])(
  'no thread holds a bot "%s"',
  async (bot) => {
    expect(await list(mia, bot)).toEqual({ titles: [], next: null })
  },
)

test.each([
  ['x'.repeat(81), /bot/],
  ['agt_%00', /U\+0000/],
])('what can be no id is refused: %s', async (bot, says) => {
  const { status, body } = await mia.call('GET', `/v1/threads?bot=${bot}`)
  expect([status, body.code]).toEqual([400, 'invalid_body'])
  expect(body.detail).toMatch(says)
})

test('nothing broke behind all this', () => {
  expect(house.errors).toEqual([])
})
