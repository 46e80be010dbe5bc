import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Visitor,
  openHttpHouse,
  signIn,
  visitor,
} from '../../../../test/support/http-house.ts'
import { issueOwnerLink } from '../../../../packages/core/access/houses.ts'
import { localRuntime } from '@arbe/sandbox/local-runtime'
import { createDemoHouse } from './demo-house.ts'

/** A body that each route takes, so that what refuses a stranger is the policy and not the form. */
const bodies: Readonly<Record<string, unknown>> = {
  'post /v1/session': { token: 'own_none' },
  'patch /v1/me': { name: 'Other' },
  'patch /v1/house': { name: 'Other' },
  'patch /v1/members/{memberId}': { role: 'guest' },
  'post /v1/invitations': {},
  'post /v1/tokens': { label: 'laptop' },
  'post /v1/threads': { title: 'Mine' },
  'patch /v1/threads/{threadId}': { title: 'Mine' },
  'post /v1/threads/{threadId}/entries': { kind: 'chat', text: 'hello' },
  'post /v1/threads/{threadId}/import': {
    messages: [{ via: { bridge: 'b', id: '1' }, text: 'hi', saidAt: '2020-01-01T00:00:00Z' }],
  },
  'post /v1/threads/{threadId}/typing': {},
  'post /v1/threads/{threadId}/who-would-speak': { text: 'hello' },
  'post /v1/threads/{threadId}/director-replay': {},
  'post /v1/bots': { name: 'Cy' },
  'patch /v1/bots/{botId}': { name: 'Cy' },
  'post /v1/environments': { name: 'workshop' },
  'post /v1/environments/{environmentId}/start': {},
  'patch /v1/environments/{environmentId}': { name: 'workshop' },
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly access: string | undefined
  readonly hasBody: boolean
}

interface Described {
  readonly 'x-access'?: string
  readonly requestBody?: unknown
}

const house = await openHttpHouse({}, new Map([['local', localRuntime({ root: '/nowhere' })]]))
const called = await readOperations()
const guarded = called.filter(({ access }) => access !== 'anyone')
const below = { member: 'guest', admin: 'member', owner: 'admin' } as const

let owner: Visitor
let stranger: Visitor
let ids: Readonly<Record<string, string>>
const roles = new Map<string, Visitor>()
let botToken: string
let invitation: string

async function invite(role: string, name: string): Promise<Visitor> {
  const { body } = await owner.call('POST', '/v1/invitations', { role })
  invitation = body.url.slice(body.url.lastIndexOf('/') + 1)
  return signIn(house, body.url, name)
}

beforeAll(async () => {
  owner = await signIn(house, house.www.ownerLink ?? '', 'Mia')
  for (const role of ['admin', 'member', 'guest']) roles.set(role, await invite(role, `A ${role}`))
  const threads = await owner.call('GET', '/v1/threads')
  const bots = await owner.call('GET', '/v1/bots')
  const invitations = await owner.call('GET', '/v1/invitations')
  const token = await owner.call('POST', '/v1/tokens', { label: 'one' })
  const environment = await owner.call('POST', '/v1/environments', { name: 'workshop' })
  const outside = await owner.call('POST', '/v1/bots', { name: 'Outside' })
  const made = await owner.call('POST', '/v1/tokens', { label: 'x', bot: outside.body.id })
  botToken = made.body.token
  ids = {
    threadId: threads.body.threads[0].id,
    botId: bots.body.bots[0].id,
    memberId: owner.id,
    invitationId: invitations.body.invitations[0].id,
    tokenId: token.body.id,
    environmentId: environment.body.id,
  }
  const link = await house.db.transaction(async (tx) => {
    const { houseId, ownerId } = await createDemoHouse(tx)
    return issueOwnerLink(tx, houseId, ownerId)
  })
  stranger = await signIn(house, link.token, 'Stranger')
})
afterAll(() => house.close())

async function readOperations(): Promise<readonly Operation[]> {
  const { body } = await visitor(house, '', '').call('GET', '/v1/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      method,
      path,
      access: operation['x-access'],
      hasBody: operation.requestBody !== undefined,
    })),
  )
}

/** A decision's ordinal is no id: every thread has a first. */
const withOrdinal = (path: string): string => path.replaceAll('{d}', '1')

const at = (path: string): string =>
  withOrdinal(path).replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? `no sample for ${name}`,
  )

const send = (who: Visitor, { method, path, name }: Operation) =>
  who.call(method.toUpperCase(), at(path), bodies[name])

test('[S-01] every route says who may call it, and has a sample for these tests', () => {
  const missing = called.filter(
    ({ name, access, hasBody }) => access === undefined || (hasBody && !(name in bodies)),
  )
  expect(missing).toEqual([])
  expect(called.length).toBeGreaterThan(25)
})

describe('[S-01] nobody', () => {
  test.each(guarded)('may call $name without a token', async (operation) => {
    for (const token of ['', 'ses_none', 'not a token', invitation]) {
      const { status, body } = await send(visitor(house, '', token), operation)
      expect([status, body.code]).toEqual([401, 'unauthorized'])
    }
  })
})

describe('[S-01] a bot driven from outside', () => {
  const forPeople = guarded.filter(({ access }) => access !== 'guest or bot')
  test.each(forPeople)('may not call $name', async (operation) => {
    const { status, body } = await send(visitor(house, '', botToken), operation)
    expect([status, body.code]).toEqual([403, 'forbidden'])
  })
})

describe('[S-01] the next lower role', () => {
  const high = guarded.flatMap((operation) =>
    operation.access === 'member' || operation.access === 'admin' || operation.access === 'owner'
      ? [{ ...operation, role: below[operation.access] }]
      : [],
  )
  test.each(high)('$role may not call $name', async ({ role, ...operation }) => {
    const who = roles.get(role) ?? visitor(house, '', '')
    const { status, body } = await send(who, operation)
    expect([status, body.code]).toEqual([403, 'forbidden'])
  })
})

describe('[S-01] [S-06] the owner of another house', () => {
  test.each(guarded.filter(({ path }) => path.includes('{')))(
    'finds nothing by $name, as if it did not exist',
    async (operation) => {
      const foreign = await send(stranger, operation)
      const absent = await stranger.call(
        operation.method.toUpperCase(),
        withOrdinal(operation.path).replaceAll(/\{(\w+)\}/g, 'thr_none'),
        bodies[operation.name],
      )
      expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
      const words = (text: string) => text.replaceAll(/"[^"]*"/g, '""')
      expect(words(foreign.body.detail)).toBe(words(absent.body.detail))
    },
  )

  const lists = guarded.filter(
    ({ method, path }) => method === 'get' && !/\{|feed|content/.test(path),
  )
  test.each(lists)('sees nothing of this house in $name', async (operation) => {
    const { status, body } = await send(stranger, operation)
    expect(status).toBe(200)
    const seen = Object.values(ids).filter((id) => JSON.stringify(body).includes(id))
    expect(seen).toEqual([])
  })
})

test('[S-07] a removed member is nobody at once', async () => {
  const gone = await invite('member', 'Gone')
  expect((await gone.call('GET', '/v1/me')).status).toBe(200)
  expect((await owner.call('DELETE', `/v1/members/${gone.id}`)).status).toBe(204)
  expect((await gone.call('GET', '/v1/me')).status).toBe(401)
})

test('nothing broke behind all these requests', () => {
  expect(house.errors).toEqual([])
})
