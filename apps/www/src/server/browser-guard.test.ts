import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { openHttpHouse, signIn } from '../../../../test/support/http-house.ts'

const house = await openHttpHouse()
const mia = await signIn(house, house.www.ownerLink ?? '', 'Mia')
const { port } = new URL(house.www.url)
afterAll(() => house.close())

interface Answer {
  readonly status: number
  readonly text: string
}

/** A request with any header: `fetch` sets some itself. */
async function raw(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<Answer> {
  const hasLength = body !== '' && !('transfer-encoding' in headers)
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    connection: 'close',
    ...(hasLength ? { 'content-length': `${body.length}` } : {}),
    'content-type': 'application/json',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return { status: Number(text.split(' ')[1]), text }
}

const cookie = { cookie: `arbe_session=${mia.token}` }
const rename = JSON.stringify({ name: 'Mia' })

describe('[S-56] a change with the session’s cookie', () => {
  test.each([
    ['of this page', { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' }, 200],
    ['typed by hand', { 'sec-fetch-site': 'none' }, 200],
    ['of no browser', {}, 200],
    ['of another site', { origin: 'https://evil.example' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['of another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    [
      'of a name that begins like this one',
      { origin: `http://127.0.0.1:${port}.evil.example` },
      403,
    ],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }, 403],
  ])('%s', async (_, headers, status) => {
    expect((await raw('PATCH', '/v1/me', { ...cookie, ...headers }, rename)).status).toBe(status)
  })

  test('as a form is refused: it is not JSON', async () => {
    const headers = { ...cookie, 'content-type': 'text/plain' }
    expect((await raw('PATCH', '/v1/me', headers, rename)).status).toBe(400)
  })
})

describe('the host', () => {
  test.each([
    [`127.0.0.1:${port}`, 200],
    [`localhost:${port}`, 200],
    [`[::1]:${port}`, 200],
    ['evil.example', 403],
    [`127.0.0.1.evil.example:${port}`, 403],
    ['', 400],
  ])('"%s" is answered with %s', async (host, status) => {
    expect((await raw('GET', '/v1/me', { ...cookie, host })).status).toBe(status)
  })
})

test('[S-57] no origin is ever allowed to read with credentials', async () => {
  for (const origin of ['https://evil.example', 'null', house.www.url]) {
    const { text } = await raw('OPTIONS', '/v1/me', {
      origin,
      'access-control-request-method': 'GET',
    })
    expect(text).not.toMatch(/access-control-allow/i)
  }
})

test('[S-55] every answer carries the policy: a page, an error, the API, the documentation', async () => {
  for (const path of ['/', '/v1/nothing', '/v1/me', '/docs/index.md', '/join/own_x']) {
    const { text } = await raw('GET', path, {})
    expect(text).toMatch(/content-security-policy: default-src 'none'; script-src 'self';/i)
    expect(text).not.toMatch(/unsafe-(inline|eval)/)
    expect(text).toMatch(/referrer-policy: no-referrer/i)
    expect(text).toMatch(/x-content-type-options: nosniff/i)
  }
})

test('[S-55] the session is a cookie that no script reads and no other site sends', async () => {
  const { body } = await mia.call('POST', '/v1/invitations', {})
  const { text } = await raw(
    'POST',
    '/v1/session',
    {},
    JSON.stringify({ token: body.url.split('/').at(-1), name: 'Ben' }),
  )
  const [, value = ''] = /^set-cookie: (.*)\r$/im.exec(text) ?? []
  expect(value).toMatch(
    /^arbe_session=ses_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
})

test('a body whose length is not said is not read', async () => {
  const headers = { ...cookie, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  const { status } = await raw(
    'PATCH',
    '/v1/me',
    headers,
    `5\r\n${rename.slice(0, 5)}\r\n0\r\n\r\n`,
  )
  expect(status).toBe(411)
})

test('[S-42] the documentation and the page lead to no other file', async () => {
  for (const path of [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/..%2f..%2fpackage.json',
    '/docs/a%00.md',
  ]) {
    const { status, text } = await raw('GET', path, {})
    expect([status, text.includes('workspaces')]).toEqual([404, false])
  }
})

test('health and readiness need no token', async () => {
  expect((await raw('GET', '/healthz', {})).status).toBe(200)
  expect((await raw('GET', '/readyz', {})).status).toBe(200)
})
