import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'

import { chatDraft } from '../../../test/support/threads.ts'
import { type EntryDraft, EntryRefused, toEntryJson } from './entry-draft.ts'

const thread = { houseId: toHouseId('hse_1'), threadId: toThreadId('thr_1') }

function toolResult(text: string): EntryDraft {
  return {
    ...thread,
    key: 'arbe:tool:1:0:0',
    kind: 'pi.tool_result',
    authorId: toActorId('agt_bob'),
    authorKind: 'bot',
    wakes: false,
    readable: false,
    causedBy: 1,
    body: {
      decision: 1,
      round: 0,
      index: 0,
      callId: 'c',
      tool: 'run',
      text,
      isError: false,
      ms: 1,
    },
  }
}

function refusal(draft: unknown): unknown {
  try {
    // What comes from outside has no type yet.
    toEntryJson(Object.assign(chatDraft(thread, 'k'), draft))
    return 'taken'
  } catch (error) {
    return error instanceof EntryRefused ? error.code : error
  }
}

test('a draft becomes the whole entry, with the defaults of its kind', () => {
  expect(JSON.parse(toEntryJson(chatDraft(thread, 'k', 'hi')))).toEqual({
    houseId: 'hse_1',
    threadId: 'thr_1',
    key: 'k',
    kind: 'chat',
    authorId: 'usr_ann',
    authorKind: 'person',
    wakes: true,
    readable: true,
    causedBy: null,
    hops: 0,
    body: { text: 'hi', mentions: [], everyone: false },
  })
})

test.each([
  ['a kind nobody knows', { kind: 'chat.yodel' }, 'unknown_kind'],
  ['a kind named like what every object has', { kind: 'toString' }, 'unknown_kind'],
  ['a body of another shape', { body: { text: 7 } }, 'invalid_body'],
  ['no body', { body: undefined }, 'invalid_body'],
  ['U+0000 from a person', { body: { text: 'a\0' } }, 'invalid_text'],
  ['half a surrogate pair from a person', { body: { text: '\udd1e' } }, 'invalid_text'],
  ['a chat text of 64 KiB', { body: { text: 'é'.repeat(32 * 1024) } }, 'taken'],
  ['a chat text of a byte more', { body: { text: `${'é'.repeat(32 * 1024)}x` } }, 'too_large'],
  [
    'more than 256 KiB of a person',
    { kind: 'pi.user', body: { text: 'x'.repeat(256 * 1024) } },
    'too_large',
  ],
])('%s: %j', (_title, draft, expected) => {
  expect(refusal(draft)).toBe(expected)
})

test('what a tool printed is stored with its unstorable characters replaced', () => {
  expect(JSON.parse(toEntryJson(toolResult('ab\0cd\ud800')))).toMatchObject({
    body: { text: 'ab\ufffdcd\ufffd' },
  })
})

test('a turn may write up to 4 MiB', () => {
  const room = 4 * 1024 * 1024 - Buffer.byteLength(toEntryJson(toolResult('')))
  expect(Buffer.byteLength(toEntryJson(toolResult('x'.repeat(room))))).toBe(4 * 1024 * 1024)
  expect(() => toEntryJson(toolResult('x'.repeat(room + 1)))).toThrow(
    'the entry has 4194305 bytes, at most 4194304 are taken',
  )
})
