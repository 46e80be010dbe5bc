import { afterAll, expect, test } from 'vitest'
import { openHttpHouse } from '../../../../test/support/http-house.ts'

const house = await openHttpHouse()
afterAll(() => house.close())

test('the description checked in is the API’s own; `vitest -u` writes it anew', async () => {
  const response = await fetch(`${house.www.url}/v1/openapi.json`)
  const text = `${JSON.stringify(await response.json(), undefined, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../../../docs/openapi.json')
})
