import type { Entry } from '@arbe/sdk'
import { toActorId, toOffset, toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { type EntryLog, extend, join } from './entry-log.ts'

const entry = (seq: number): Entry => ({
  threadId: toThreadId('t'),
  seq: toOffset(seq),
  key: `k${seq}`,
  kind: 'thread.continue',
  authorId: toActorId('mia'),
  authorKind: 'person',
  wakes: true,
  readable: false,
  causedBy: null,
  hops: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  body: {},
})
const log = (...seqs: number[]): EntryLog => ({ entries: seqs.map(entry), older: true })

test('the next entry extends the log', () => {
  expect(extend(log(1, 2), entry(3))).toEqual({ status: 'extended', log: log(1, 2, 3) })
})

test('an entry that came twice changes nothing', () => {
  expect(extend(log(1, 2), entry(2))).toEqual({ status: 'known', log: log(1, 2) })
})

test('a hole is reported with the place to read on from', () => {
  expect(extend(log(1, 2), entry(4))).toEqual({ status: 'gap', after: 2 })
})

test('an older page joins in front, in order and once', () => {
  expect(join(log(3, 4), { entries: [entry(1), entry(2), entry(3)], older: false })).toEqual({
    ...log(1, 2, 3, 4),
    older: false,
  })
})
