import type { EntryOf } from '@arbe/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { hashToken, issueToken } from '../../../../packages/core/access/tokens.ts'
import { renewOwnerLink } from '../../../../packages/core/access/houses.ts'
import {
  type Visitor,
  openHttpHouse,
  signIn,
  visitor,
} from '../../../../test/support/http-house.ts'

const house = await openHttpHouse()
const ownerLink = house.www.ownerLink ?? ''
const open = (token: string, more: object = {}, headers: Record<string, string> = {}) =>
  visitor(house, '', '').call('POST', '/v1/session', { token, ...more }, headers)
const tokenOf = (link: string): string => link.slice(link.lastIndexOf('/') + 1)
afterAll(() => house.close())

const opened = await Promise.all(
  Array.from({ length: 8 }, (_, n) => open(tokenOf(ownerLink), { name: `Owner ${n}` })),
)
const mia = await (async () => {
  const link = await house.db.transaction(async (tx) => {
    const [row] = await tx.query<{ house_id: never; id: never }>(
      `select house_id, id from members where role = 'owner'`,
    )
    if (row === undefined) throw new Error('the house has no owner')
    const { token } = await issueToken(tx, {
      kind: 'owner_link',
      houseId: row.house_id,
      actorId: row.id,
    })
    return token
  })
  return signIn(house, link, 'Mia')
})()
const { body: invitation } = await mia.call('POST', '/v1/invitations', {})
const ben = await signIn(house, invitation.url, 'Ben')

describe('the owner’s link', () => {
  test('[S-09] of eight who open it at once one gets in, and it is dead after that', async () => {
    const statuses = opened.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(401)])
    expect((await open(tokenOf(ownerLink))).body.code).toBe('link_refused')
  })

  test('no new one is made once an owner has been here', async () => {
    const [row] = await house.db.query<{ id: never }>('select id from houses')
    if (row === undefined) throw new Error('no house')
    expect(await house.db.transaction((tx) => renewOwnerLink(tx, row.id))).toBeUndefined()
  })

  test('an owner who says their name has a handle like it', async () => {
    expect((await mia.call('GET', '/v1/me')).body.person).toMatchObject({
      name: 'Mia',
      handle: 'mia',
      role: 'owner',
    })
  })
})

describe('invitations', () => {
  test('one link lets several people in, each as themself', async () => {
    const cy = await signIn(house, invitation.url, 'Cy')
    const { body } = await mia.call('GET', '/v1/members')
    const rows = body.people.map(({ id, name, role }: Record<string, string>) => [id, name, role])
    expect(rows).toEqual([
      [mia.id, 'Mia', 'owner'],
      [ben.id, 'Ben', 'member'],
      [cy.id, 'Cy', 'member'],
    ])
  })

  test('the same request again signs the same person in; other words under its key are refused', async () => {
    const token = tokenOf(invitation.url)
    const key = { 'idempotency-key': 'join-1' }
    const first = await open(token, { name: 'Di' }, key)
    const again = await open(token, { name: 'Di' }, key)
    expect([again.status, again.body.person]).toEqual([200, first.body.person])
    expect((await open(token, { name: 'Other' }, key)).body.code).toBe('key_conflict')
  })

  test('who does not say how they are called does not get in', async () => {
    const { status, body } = await open(tokenOf(invitation.url))
    expect([status, body.code]).toEqual([400, 'invalid_body'])
  })

  test('a revoked or expired one is refused', async () => {
    const { body: revoked } = await mia.call('POST', '/v1/invitations', { role: 'guest' })
    await mia.call('DELETE', `/v1/invitations/${revoked.id}`)
    const { body: expired } = await mia.call('POST', '/v1/invitations', { role: 'guest' })
    await house.db.query(`update tokens set expires_at = now() - interval '1 s' where hash = $1`, [
      hashToken(tokenOf(expired.url)),
    ])
    for (const { url } of [revoked, expired])
      expect((await open(tokenOf(url), { name: 'Late' })).body.code).toBe('link_refused')
  })

  test('only an owner invites an admin, and nobody an owner', async () => {
    const { body } = await mia.call('POST', '/v1/invitations', { role: 'admin' })
    const admin = await signIn(house, body.url, 'Admin')
    expect((await admin.call('POST', '/v1/invitations', { role: 'admin' })).status).toBe(403)
    expect((await mia.call('POST', '/v1/invitations', { role: 'owner' })).status).toBe(400)
    expect((await admin.call('PATCH', `/v1/members/${mia.id}`, { role: 'guest' })).status).toBe(403)
    expect((await admin.call('PATCH', `/v1/members/${ben.id}`, { role: 'admin' })).status).toBe(403)
  })
})

describe('two people in one thread', () => {
  const make = async (): Promise<string> =>
    (await mia.call('POST', '/v1/threads', { people: [ben.id] })).body.id
  const say = (who: Visitor, threadId: string, text: string, key?: string) =>
    who.call(
      'POST',
      `/v1/threads/${threadId}/entries`,
      { kind: 'chat', text },
      key === undefined ? {} : { 'idempotency-key': key },
    )

  test('what each says is theirs, in the order of the stream, for both', async () => {
    const threadId = await make()
    for (const who of [mia, ben, mia]) await say(who, threadId, `I am ${who.id}`)
    const read = async (who: Visitor) =>
      (await who.call('GET', `/v1/threads/${threadId}/entries?after=1`)).body.entries
    const seen = await read(ben)
    expect(seen.map(({ authorId, body }: EntryOf<'chat'>) => [authorId, body.text])).toEqual(
      [mia, ben, mia].map(({ id }) => [id, `I am ${id}`]),
    )
    expect(await read(mia)).toEqual(seen)
  })

  test('pages go both ways, oldest first, and say whether there is more', async () => {
    const threadId = await make()
    for (let n = 2; n <= 6; n += 1) await say(mia, threadId, `${n}`)
    const page = async (where: string) => {
      const { body } = await mia.call('GET', `/v1/threads/${threadId}/entries?limit=2${where}`)
      return [...body.entries.map(({ seq }: { seq: number }) => seq), body.more]
    }
    expect(await page('')).toEqual([5, 6, true])
    expect(await page('&before=5')).toEqual([3, 4, true])
    expect(await page('&before=3')).toEqual([1, 2, false])
    expect(await page('&after=0')).toEqual([1, 2, true])
    expect(await page('&after=4')).toEqual([5, 6, false])
    expect(await page('&after=6')).toEqual([false])
  })

  test('[R-02] [D5] a message sent again is one message; other words under its key are a conflict', async () => {
    const threadId = await make()
    const first = await say(mia, threadId, 'once', 'k')
    const again = await say(mia, threadId, 'once', 'k')
    const other = await say(mia, threadId, 'twice', 'k')
    expect([first.status, again.status, other.status]).toEqual([201, 200, 409])
    expect(again.body).toEqual({ seq: first.body.seq, duplicate: true })
    expect(other.body.code).toBe('key_conflict')
  })

  test('a thread made again under one key is one thread', async () => {
    const send = (title: string) =>
      mia.call('POST', '/v1/threads', { title }, { 'idempotency-key': 'new-thread' })
    const [first, again, other] = [await send('Plans'), await send('Plans'), await send('Other')]
    expect(again.body).toEqual(first.body)
    expect(other.body.code).toBe('key_conflict')
  })

  test('one may leave a thread, and finds it no more', async () => {
    const threadId = await make()
    expect(
      (await ben.call('PATCH', `/v1/threads/${threadId}`, { removePeople: [ben.id] })).status,
    ).toBe(200)
    expect((await ben.call('GET', `/v1/threads/${threadId}`)).status).toBe(404)
  })
})

test('a token for programs speaks as its owner, until it is revoked', async () => {
  const { body } = await ben.call('POST', '/v1/tokens', { label: 'laptop' })
  const program = visitor(house, ben.id, body.token)
  expect((await program.call('GET', '/v1/me')).body.person.id).toBe(ben.id)
  expect((await mia.call('DELETE', `/v1/tokens/${body.id}`)).status).toBe(404)
  expect((await ben.call('DELETE', `/v1/tokens/${body.id}`)).status).toBe(204)
  expect((await program.call('GET', '/v1/me')).status).toBe(401)
})

test('[S-24] [S-30] no token stands in the database', async () => {
  const { body } = await ben.call('POST', '/v1/tokens', { label: 'canary' })
  const secrets = [body.token, ben.token, mia.token, tokenOf(invitation.url), tokenOf(ownerLink)]
  const tables = await house.db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  for (const { name } of tables) {
    const [row] = await house.db.query<{ text: string }>(
      `select coalesce(string_agg(t::text, ' '), '') as text from "${name}" t`,
    )
    expect(secrets.filter((secret) => row?.text.includes(secret))).toEqual([])
  }
})

test('signing out ends the session', async () => {
  const { body } = await open(tokenOf(invitation.url), { name: 'Eve' })
  expect(body.person.name).toBe('Eve')
  const eve = await signIn(house, invitation.url, 'Eve two')
  expect((await eve.call('DELETE', '/v1/session')).status).toBe(204)
  expect((await eve.call('GET', '/v1/me')).status).toBe(401)
})

test('nothing broke behind all this', () => {
  expect(house.errors).toEqual([])
})
