import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../../test/support/memory-storage.ts'
import { keepDraft, takeDraft } from './drafts.ts'

test('each thread keeps its own draft, and a sent one leaves nothing', () => {
  const storage = memoryStorage()
  keepDraft(storage, 'thr_1', 'one')
  keepDraft(storage, 'thr_2', 'two')
  expect([takeDraft(storage, 'thr_1'), takeDraft(storage, 'thr_2')]).toEqual(['one', 'two'])
  keepDraft(storage, 'thr_1', '')
  expect([takeDraft(storage, 'thr_1'), storage.length]).toEqual(['', 1])
})
