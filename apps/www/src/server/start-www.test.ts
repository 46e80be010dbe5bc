import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpHouse, openHttpHouse, signIn } from '../../../../test/support/http-house.ts'

let house: HttpHouse
beforeAll(async () => {
  house = await openHttpHouse()
})
afterAll(() => house.close())

test('smoke', async () => {
  const owner = await signIn(house, house.www.ownerLink ?? '', 'Mia')
  console.log((await owner.call('GET', '/v1/me')).body)
  const threads = await owner.call('GET', '/v1/threads')
  console.log(threads.body)
  const id = threads.body.threads[0].id
  console.log(JSON.stringify((await owner.call('GET', `/v1/threads/${id}`)).body))
  console.log(JSON.stringify((await owner.call('GET', `/v1/threads/${id}/entries`)).body))
  console.log(
    (await owner.call('POST', `/v1/threads/${id}/entries`, { kind: 'chat', text: 'hi @ada' })).body,
  )
  console.log((await owner.call('POST', `/v1/threads/${id}/entries`, { kind: 'thread.stop' })).body)
  console.log(JSON.stringify((await owner.call('GET', `/v1/threads/${id}/entries?after=3`)).body))
  console.log(JSON.stringify((await owner.call('GET', `/v1/threads/${id}/state`)).body))
  console.log(JSON.stringify((await owner.call('GET', `/v1/threads/${id}/decisions`)).body))
  console.log(JSON.stringify((await owner.call('GET', `/v1/bots`)).body))
  expect(house.errors).toEqual([])
})
