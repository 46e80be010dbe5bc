import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../../test/support/memory-storage.ts'
import { isUnread, keepMarks, loadMarks, markRead } from './read-marks.ts'

const thread = (id: string, head: number) => ({ id, title: '', head, newsTo: head, lastAt: '' })

test('a browser that is new to the house takes what stands there as read', () => {
  expect(loadMarks(memoryStorage(), [thread('a', 4)])).toEqual(new Map([['a', 4]]))
})

test('a thread that was added since is unread from its start', () => {
  const storage = memoryStorage()
  keepMarks(storage, new Map([['a', 4]]))
  const marks = loadMarks(storage, [thread('a', 4), thread('b', 1)])
  expect([isUnread(thread('a', 4), marks), isUnread(thread('b', 1), marks)]).toEqual([false, true])
})

test('a mark never goes back', () => {
  const marks = new Map([['a', 4]])
  expect(markRead(marks, 'a', 3)).toBe(marks)
  expect(markRead(marks, 'a', 5)).toEqual(new Map([['a', 5]]))
})

test('an import that ends a thread leaves it read', () => {
  const imported = { ...thread('a', 9), newsTo: 4 }
  expect(isUnread(imported, new Map([['a', 4]]))).toBe(false)
})
