import { expect, test } from 'vitest'
import { openHttpHouse, signIn } from '../../../../test/support/http-house.ts'
import { startWww } from './start-www.ts'

test('a port that is taken stops the start with a sentence that names it', async () => {
  const house = await openHttpHouse()
  const { port } = new URL(house.www.url)
  await expect(openHttpHouse({ ARBE_PORT: port })).rejects.toThrow(
    `ARBE_PORT is ${port}, and 127.0.0.1 does not let it be opened.`,
  )
  await house.close()
})

test('a second start on the same house makes no second one, and no link once an owner is in', async () => {
  const house = await openHttpHouse()
  const startAgain = () => startWww(house.parts)
  const again = await startAgain()
  const [first, second] = [house.www.ownerLink ?? '', again.ownerLink ?? '']
  await again.close()
  await expect(signIn(house, first, 'Late')).rejects.toThrow('link_refused')
  await signIn(house, second, 'Mia')
  const third = await startAgain()
  expect(third.ownerLink).toBeUndefined()
  await third.close()
  expect(await house.db.query('select count(*) as n from houses')).toEqual([{ n: 1 }])
  await house.close()
})

test('closing ends open feeds and does not wait for their readers', async () => {
  const house = await openHttpHouse()
  const mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
  const feed = await fetch(`${house.www.url}/v1/feed`, {
    headers: { authorization: `Bearer ${mia.token}` },
  })
  const start = performance.now()
  await house.close()
  expect(performance.now() - start).toBeLessThan(5_000)
  expect(await feed.text()).toMatch(/^id: /)
})

test('[S-29] the origin that people use stands in links, and makes the cookie secure', async () => {
  const house = await openHttpHouse({ ARBE_ORIGIN: 'https://chat.example.org', ARBE_PORT: '7391' })
  expect(house.www.ownerLink).toMatch(/^https:\/\/chat\.example\.org\/join\/own_/)
  const token = house.www.ownerLink?.split('/').at(-1)
  const response = await fetch(`http://127.0.0.1:7391/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://chat.example.org' },
    body: JSON.stringify({ token }),
  })
  expect(response.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
  await house.close()
})
