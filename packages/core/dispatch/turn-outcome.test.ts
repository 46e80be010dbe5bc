import { toActorId, toOffset, toThreadId, toHouseId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { type EntryDraft, EntryRefused, toEntryJson } from '../streams/entry-draft.ts'
import { turnOutcome } from './turn-outcome.ts'

const facts = { speakers: { own: ['Ada'], others: ['Mia'] }, sideEffects: false }

test('a reply of any length fits into a message, and says what it lacks', () => {
  const answer = { kind: 'answer', text: 'é'.repeat(200_000), assistant: toOffset(3) } as const
  const { status, text = '' } = turnOutcome(answer, facts)
  expect(status).toBe('replied')
  expect(text).toMatch(/^é+\n\[… \d+ of 400000 bytes are left out here …\]\né+$/u)
  const message = {
    houseId: toHouseId('hse_1'),
    threadId: toThreadId('thr_1'),
    key: 'arbe:reply:1',
    kind: 'chat',
    authorId: toActorId('agt_ada'),
    authorKind: 'bot',
    wakes: true,
    readable: true,
    causedBy: 1,
    hops: 0,
    body: { text, mentions: [], everyone: false },
  } satisfies EntryDraft
  expect(() => toEntryJson(message)).not.toThrow()
  expect(() =>
    toEntryJson({ ...message, body: { ...message.body, text: text.repeat(2) } }),
  ).toThrow(EntryRefused)
})
