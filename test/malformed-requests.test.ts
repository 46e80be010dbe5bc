import { createClient } from '@arbe/sdk/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningArbe, startArbe } from './support/run-arbe.ts'
import { signIn } from './support/sign-in.ts'

// Lets a test do from outside what only a bug does.
const PLANT = `
  process.on('SIGUSR2', () => void Promise.reject(new Error('planted rejection')))
  process.on('SIGWINCH', () => { throw new Error('planted exception') })`

let home: string
let arbe: RunningArbe
let url: URL
let token: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'arbe-malformed-'))
  arbe = startArbe(['start', '--port', '0', '--json'], {
    HOME: home,
    ARBE_DATA: join(home, 'data'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PLANT)}`,
  })
  const served = JSON.parse(await arbe.stdoutWith('\n'))
  url = new URL(served.url)
  token = (await signIn(served.ownerLink, 'Mia')).token
})
afterAll(async () => {
  arbe.child.kill('SIGKILL')
  await arbe.ended
  await rm(home, { recursive: true, force: true })
})

test('[R-56] no malformed request ends the house, is answered with a 5xx, or keeps a good one from its answer', async () => {
  const answers: { readonly request: string; readonly status: number }[] = []
  for (const request of malformed(400)) {
    const status = await answerTo(request)
    if (status !== undefined) answers.push({ request, status })
  }
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  const client = createClient({ baseUrl: url.origin, token })
  const { id } = await client.threads.create({})
  expect(await client.threads.append(id, { kind: 'chat', text: 'still here' })).toMatchObject({
    seq: expect.any(Number),
  })
  expect(arbe.child.exitCode).toBeNull()
  // Most get as far as an answer: what falls at the first byte tries nothing.
  expect(answers.length).toBeGreaterThan(200)
  console.log(
    `${answers.length} answers: ${[...new Set(answers.map(({ status }) => status))].join(', ')}`,
  )
}, 120_000)

test('[R-56] a promise that nobody waited for is told and ends nothing; an error that nobody caught ends the process with a sentence', async () => {
  const complaint = nextComplaint()
  arbe.child.kill('SIGUSR2')
  expect(await complaint).toMatch(/nobody waited for a promise that failed.*planted rejection/)
  expect((await fetch(`${url.origin}/healthz`)).status).toBe(200)
  arbe.child.kill('SIGWINCH')
  const { code, stderr } = await arbe.ended
  expect(code).toBe(1)
  expect(stderr).toMatch(/nobody caught an error: this process ends.*planted exception/)
  // Nothing but what was planted, all this time.
  expect(stderr.trim().split('\n').length).toBe(2)
})

async function nextComplaint(): Promise<string> {
  return new Promise((resolve) => {
    arbe.child.stderr?.once('data', (chunk) => resolve(String(chunk)))
  })
}

/** Sends the bytes and hangs up; the status that came, if any. */
function answerTo(bytes: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ host: url.hostname, port: Number(url.port) })
    socket.setTimeout(400, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      // What is worth knowing stands in the first line; a feed would go on for ever.
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(statusIn(answer)))
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}

function statusIn(answer: string): number | undefined {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
  return status === undefined ? undefined : Number(status)
}

const PATHS = [
  '/',
  '/%',
  '/%E0%A4%A',
  '/%00',
  '//evil.example/x',
  '/docs/../../etc/passwd',
  '/docs/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/docs/%',
  '/assets/%ff',
  '/v1/threads/%ZZ/entries',
  '/v1/threads/%2F/entries?after=%FF&limit=1e999',
  '/v1/threads/thr_x/entries?after=9007199254740993',
  '/v1/feed?cursor=%FF%FE',
  '/v1/feed?cursor=AAAA',
  '/v1/bots/%00',
  '/v1/files/content?path=%2e%2e%2f%00',
  '/v1/members/__proto__',
  '/v1/tokens/constructor',
  `/${'a'.repeat(9_000)}`,
  'http://[::1',
  '*',
]
const METHODS = [
  'GET',
  'DELETE',
  'POST',
  'PATCH',
  'PUT',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'CONNECT',
  'XX',
]
const HEADERS = [
  'Cookie: arbe_session=%E0%A4%A; =; ;;; a',
  `Cookie: ${'a=b; '.repeat(2_000)}`,
  'Cookie: arbe_session="\xff\xfe"',
  'Authorization: Bearer \xff\xfe',
  'Authorization: Bearer',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: not base64\r\nSec-WebSocket-Version: 99',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: %%%',
  'Accept: text/event-stream\r\nLast-Event-ID: \xff{"',
  'Last-Event-ID: bnVsbA',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Content-Type: application/json\r\nContent-Length: 1000',
  'Content-Type: application/json\r\nContent-Length: 7',
  'Content-Type: multipart/form-data; boundary=\r\nContent-Length: 7',
  'Content-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: 7',
  'Expect: 100-continue\r\nContent-Length: 7\r\nContent-Type: application/json',
  'Expect: everything',
  'Idempotency-Key: \xff',
  'Range: bytes=9-1,-,x',
  'If-None-Match: "',
  'no colon here',
  ': no name',
  'X-Forwarded-For: ,,,\r\nForwarded: for="',
]
const BODIES = [
  '',
  '{"a":',
  '[[[[[[[',
  '"\\ud800"',
  'null',
  '{}\n{}',
  'ZZ\r\n{}\r\n0\r\n\r\n',
  '\x1f\x8b\x08',
  '1e999',
]

/** The same for every run: every path, method, header and body comes up, many of them together; some with a byte changed, or cut off. */
function* malformed(count: number): Generator<string> {
  const good = `Host: ${url.host}\r\nAuthorization: Bearer ${token}`
  for (let n = 0; n < count; n += 1) {
    const method = pick(METHODS, n, 1)
    const path = pick(PATHS, n, 2)
    const header = pick(HEADERS, n, 3)
    const host = dice(n, 4) % 12 === 0 ? 'Host: \xff' : good
    const whole = `${method} ${path} HTTP/1.1\r\n${host}\r\n${header}\r\n\r\n${pick(BODIES, n, 5)}`
    yield damaged(whole, n)
  }
  yield '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
  yield '\r\n\r\n\r\n'
  yield 'GET'
}

function damaged(text: string, n: number): string {
  const at = dice(n, 6) % text.length
  switch (dice(n, 7) % 8) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + String.fromCharCode(dice(n, 8) % 256) + text.slice(at + 1)
    default:
      return text
  }
}

function pick(items: readonly string[], n: number, which: number): string {
  return items[dice(n, which) % items.length] ?? ''
}

function dice(n: number, which: number): number {
  return Math.imul(n * 16 + which, 2_654_435_761) >>> 12
}
