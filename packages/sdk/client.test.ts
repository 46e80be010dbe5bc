import { expect, test } from 'vitest'
import { createClient } from './client.ts'

/** A client of a house that answers everything with nothing, and what it asked for. */
function recorded() {
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://house.test',
    fetch: async (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      asked.push(`${init?.method} ${pathname}${search}`)
      return new Response('{}')
    },
  })
  return { client, asked }
}

test('an id is one segment of a path, whatever it holds', async () => {
  const { client, asked } = recorded()
  const id = 'a/../b?c#d%2f é'
  await client.bots.edit(id, {})
  await client.bots.remove(id)
  await client.threads.get(id)
  await client.threads.edit(id, {})
  await client.threads.entries(id, { after: 3 })
  await client.threads.append(id, { kind: 'thread.stop' })
  await client.threads.state(id)
  await client.threads.decisions(id, { limit: 1 })
  await client.threads.typing(id)
  const segment = 'a%2F..%2Fb%3Fc%23d%252f%20%C3%A9'
  expect(asked).toEqual([
    `PATCH /v1/bots/${segment}`,
    `DELETE /v1/bots/${segment}`,
    `GET /v1/threads/${segment}`,
    `PATCH /v1/threads/${segment}`,
    `GET /v1/threads/${segment}/entries?after=3`,
    `POST /v1/threads/${segment}/entries`,
    `GET /v1/threads/${segment}/state`,
    `GET /v1/threads/${segment}/decisions?limit=1`,
    `POST /v1/threads/${segment}/typing`,
  ])
})

test('a file’s path is asked for as one value', async () => {
  const { client, asked } = recorded()
  await client.files.read('notes/a b&c.md')
  expect(asked).toEqual(['GET /v1/files/content?path=notes%2Fa+b%26c.md'])
})
