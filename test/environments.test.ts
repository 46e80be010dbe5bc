import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeSandboxes, fakeSandboxes } from './support/fake-sandboxes.ts'
import { openHttpHouse, signIn, type Visitor } from './support/http-house.ts'

let fake: FakeSandboxes
const runtimes = new Map()
const house = await openHttpHouse({}, runtimes)
let mia: Visitor
let count = 0

beforeAll(async () => {
  mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
})
beforeEach(() => {
  fake = fakeSandboxes()
  runtimes.set('local', fake)
})
afterAll(() => house.close())

const add = (draft: object = {}) =>
  mia.call('POST', '/v1/environments', { name: `place ${(count += 1)}`, ...draft })

describe('an environment', () => {
  test('is made, started, changed and removed', async () => {
    const { body: made } = await add({ name: ' workshop ' })
    const plain = { name: 'workshop', provider: 'local', network: 'none', variables: {} }
    expect(made).toEqual({ id: made.id, ...plain, box: 'none' })
    const path = `/v1/environments/${made.id}`
    expect((await mia.call('POST', `${path}/start`, {})).body).toEqual({ ...made, box: 'ready' })
    const patch = { name: 'bench', network: 'open', variables: { A: '1' } }
    expect((await mia.call('PATCH', path, patch)).body).toEqual({ ...made, ...patch, box: 'ready' })
    expect((await mia.call('DELETE', path)).status).toBe(204)
    const { environments } = (await mia.call('GET', '/v1/environments')).body
    expect([environments, fake.boxes.size]).toEqual([[], 0])
    expect((await mia.call('PATCH', path, patch)).status).toBe(404)
  })

  test('has a name of its own until it is removed', async () => {
    const { body } = await add({ name: 'Twice' })
    expect(await add({ name: 'twice' })).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    })
    await mia.call('DELETE', `/v1/environments/${body.id}`)
    expect((await add({ name: 'twice' })).status).toBe(201)
  })

  test.each([
    [{ name: '' }, /name/],
    [{ provider: 'elsewhere' }, /no sandboxes of the kind "elsewhere" here, but: local/],
    [{ network: 'allow' }, /network/],
    [{ variables: { 'NOT-A-NAME': '1' } }, /variables/],
    [{ variables: { A: 1 } }, /variables/],
    [{ variables: { A: 'x'.repeat(8_193) } }, /variables/],
    [{ house: 'hse_other' }, /"house"/],
  ])('is refused as %j', async (draft, detail) => {
    const { status, body } = await add(draft)
    expect([status, body.code]).toEqual([400, 'invalid_body'])
    expect(body.detail).toMatch(detail)
  })

  test('[SB-29] of a provider that does not work is shown with the remedy and not started', async () => {
    const { body } = await add()
    fake.health = { status: 'broken', reason: 'no namespaces here', remedy: 'Allow them.' }
    expect(await mia.call('POST', `/v1/environments/${body.id}/start`, {})).toMatchObject({
      status: 409,
      body: { code: 'sandbox_unavailable', detail: 'no namespaces here. Allow them.' },
    })
    expect((await mia.call('GET', '/v1/sandbox-providers')).body).toEqual({
      providers: [{ name: 'local', ...fake.health }],
    })
    expect(fake.boxes.size).toBe(0)
  })
})

test('a thread is bound to an environment, and says so in its stream', async () => {
  const { body: made } = await add({ name: 'here' })
  const { body: thread } = await mia.call('POST', '/v1/threads', { title: 'Build' })
  const path = `/v1/threads/${thread.id}`
  expect(thread.environment).toBe(null)
  const bound = await mia.call('PATCH', path, { environment: made.id })
  expect(bound.body.environment).toEqual({ id: made.id, name: 'here' })
  await mia.call('PATCH', path, { environment: made.id })
  expect((await mia.call('PATCH', path, { environment: 'env_none' })).status).toBe(404)
  await mia.call('DELETE', `/v1/environments/${made.id}`)
  expect((await mia.call('GET', path)).body.environment).toBe(null)
  await mia.call('PATCH', path, { environment: null })
  const { entries } = (await mia.call('GET', `${path}/entries`)).body
  const kinds = entries.filter(({ kind }: { kind: string }) => kind === 'thread.environment')
  expect(kinds).toMatchObject([
    { wakes: false, readable: false, body: { environment: made.id, name: 'here' } },
    { wakes: false, readable: false, body: { environment: null, name: '' } },
  ])
})
