import { expect, test } from 'vitest'
import { openHttpHouse, signIn } from '../../../../test/support/http-house.ts'
import { RateLimit } from './rate-limit.ts'

function limitAt(rate: { readonly perSecond: number; readonly burst: number }) {
  const clock = { now: 0 }
  const limit = new RateLimit(rate, () => clock.now)
  const take = (key: string, times: number): number =>
    Array.from({ length: times }, () => limit.take(key)).filter(Boolean).length
  return { clock, take }
}

test('a burst passes, then as many as come back with time', () => {
  const { clock, take } = limitAt({ perSecond: 2, burst: 5 })
  expect(take('mia', 9)).toBe(5)
  clock.now += 1_000
  expect(take('mia', 9)).toBe(2)
  clock.now += 3_600_000
  expect(take('mia', 9)).toBe(5)
})

test('who is refused meanwhile does not wait longer for it', () => {
  const { clock, take } = limitAt({ perSecond: 1, burst: 1 })
  expect(take('mia', 1)).toBe(1)
  for (let n = 0; n < 10; n += 1) {
    clock.now += 99
    expect(take('mia', 1)).toBe(0)
  }
  clock.now += 11
  expect(take('mia', 1)).toBe(1)
})

test('one who floods takes nothing from another', () => {
  const { take } = limitAt({ perSecond: 1, burst: 2 })
  expect([take('mia', 100), take('ben', 2)]).toEqual([2, 2])
})

test('[S-65] an account that floods is told to wait, and may still read', async () => {
  const house = await openHttpHouse({ ARBE_CHANGES_PER_SECOND: '1' })
  const mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
  const changes = Array.from({ length: 20 }, () => mia.call('PATCH', '/v1/me', { name: 'Mia' }))
  const codes = (await Promise.all(changes)).map(({ status, body }) => body.code ?? status)
  expect(codes.filter((code) => code === 200).length).toBeLessThan(15)
  expect(codes).toContain('too_many_requests')
  expect((await mia.call('GET', '/v1/me')).status).toBe(200)
  await house.close()
})
