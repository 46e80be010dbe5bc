import { toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'

import { type EphemeralEvent, ephemeralOutbox } from './ephemeral-outbox.ts'

const threadId = toThreadId('thr_1')

function delta(at: number, text: string, round: number = 0): EphemeralEvent {
  return {
    type: 'delta',
    threadId,
    decision: 1,
    fence: 7,
    bot: 'agt_bob',
    round,
    after: 1,
    at,
    text,
  }
}

function sent(...events: readonly EphemeralEvent[]): readonly EphemeralEvent[] {
  const outbox = ephemeralOutbox()
  for (const event of events) outbox.put(event)
  return outbox.take()
}

test('pieces of a round that follow each other are one', () => {
  expect(sent(delta(0, 'Hel'), delta(0, 'other', 1), delta(3, 'lo'))).toEqual([
    delta(0, 'Hello'),
    delta(0, 'other', 1),
  ])
})

test('a piece that does not follow the one before is left out', () => {
  expect(sent(delta(0, 'Hel'), delta(9, 'later'))).toEqual([delta(0, 'Hel')])
})

test('of states only the last one is sent', () => {
  const quiet: EphemeralEvent = { type: 'state', threadId, state: { status: 'quiet' } }
  const deciding: EphemeralEvent = {
    type: 'state',
    threadId,
    state: { status: 'deciding', fence: 1, until: 2 },
  }
  expect(sent(deciding, quiet)).toEqual([quiet])
})

test('two who type are two', () => {
  const ann: EphemeralEvent = { type: 'typing', threadId, person: 'usr_ann' }
  const ben: EphemeralEvent = { type: 'typing', threadId, person: 'usr_ben' }
  expect(sent(ann, ben, ann)).toEqual([ann, ben])
})

test('what was taken is not sent again', () => {
  const outbox = ephemeralOutbox()
  outbox.put(delta(0, 'a'))
  outbox.take()
  outbox.put(delta(1, 'b'))
  expect(outbox.take()).toEqual([delta(1, 'b')])
})
