import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../../test/support/memory-storage.ts'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { keepOutbox, type Outbox, setError, takeOutbox, withoutStored } from './outbox.ts'

const outbox: Outbox = [
  { key: 'a', text: 'one', replyTo: undefined, error: undefined },
  { key: 'b', text: 'two', replyTo: 3, error: 'no network' },
]

test('what stands in the thread is no longer on its way', () => {
  const { entries, say } = threadStory()
  say('mia', 'one')
  const stored = entries.map((entry) => ({ ...entry, key: 'ses:usr_mia:a' }))
  expect(withoutStored(outbox, stored)).toEqual([outbox[1]])
})

test('a message that is sent again forgets why it failed and keeps its key', () => {
  expect(setError(outbox, 'b', undefined)).toMatchObject([
    { key: 'a' },
    { key: 'b', error: undefined },
  ])
})

test('a reload loses no message, and asks about one whose fate it does not know', () => {
  const storage = memoryStorage()
  keepOutbox(storage, 'thr_1', outbox)
  const taken = takeOutbox(storage, 'thr_1')
  expect(taken.map(({ key, text }) => [key, text])).toEqual([
    ['a', 'one'],
    ['b', 'two'],
  ])
  expect(taken.map(({ error }) => error)).toEqual([expect.stringContaining('closed'), 'no network'])
  keepOutbox(storage, 'thr_1', [])
  expect(storage.length).toBe(0)
})
