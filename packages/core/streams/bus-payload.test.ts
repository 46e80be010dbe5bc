import { toOffset, toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'

import { fitPayloads, parsePayload, toPayload } from './bus-payload.ts'
import type { EphemeralEvent } from './ephemeral-outbox.ts'

const hints = Array.from({ length: 500 }, (_, n) => ({
  threadId: toThreadId(`thr_${n}`),
  seq: toOffset(n),
  wakes: n % 2 === 0,
}))

test('hints go in as many notifications as they need, none of them too long', () => {
  const payloads = fitPayloads('me', hints)
  expect(payloads.length).toBeLessThan(8)
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(7_001)
  expect(payloads.flatMap((payload) => parsePayload(payload)?.hints)).toEqual(hints)
})

test('events past one notification are dropped, long texts before states', () => {
  const threadId = toThreadId('thr_1')
  const delta = (bot: string, length: number): EphemeralEvent => ({
    type: 'delta',
    threadId,
    decision: 1,
    fence: 1,
    bot,
    round: 0,
    after: 1,
    at: 0,
    text: '𝄞'.repeat(length),
  })
  const stop: EphemeralEvent = { type: 'stop', threadId }
  const payload = toPayload('me', [delta('long', 1_200), delta('short', 600), stop])
  expect(Buffer.byteLength(payload)).toBeLessThan(7_001)
  expect(parsePayload(payload)?.events).toEqual([stop, delta('short', 600)])
})

test.each([
  '',
  'hello',
  '{}',
  '{"from":"x","hints":[{}],"events":[]}',
  '{"from":"x","hints":[],"events":[{"type":"nuke"}]}',
])('what no arbe sent is ignored: %s', (payload) => {
  expect(parsePayload(payload)).toBeUndefined()
})
