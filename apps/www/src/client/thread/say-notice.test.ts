import { expect, test } from 'vitest'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { sayNotices } from './say-notice.ts'
import { viewThread } from './thread-view.ts'

test('how a thread was made is told in one sentence', () => {
  const { entries, add } = threadStory()
  add('thread.title', 'mia', { title: 'Rain' })
  add('thread.people', 'mia', { added: ['mia', 'ben'], removed: [] })
  add('thread.bots', 'mia', { added: ['ada'] })
  add('thread.mute', 'ben', { bot: 'ada', muted: true })
  const notices = viewThread(entries).items.flatMap((item) =>
    item.type === 'notice' ? [sayNotices(item.entries, (id) => id)] : [],
  )
  expect(notices).toEqual(['mia named the thread “Rain” and added ben and ada', 'ben muted ada'])
})

test('a mute for a time is told with its end', () => {
  const { entries, add } = threadStory()
  const end = new Date()
  end.setHours(14, 30)
  add('thread.mute', 'ben', { bot: 'ada', muted: true, until: end.toISOString() })
  add('thread.mute', 'ben', { bot: 'bo', muted: false })
  const [item] = viewThread(entries).items
  if (item?.type !== 'notice') throw new Error('no notice')
  expect(sayNotices(item.entries, (id) => id)).toBe('ben muted ada until 14:30 and unmuted bo')
})

test('that bots may answer each other, or no more, is told', () => {
  const { entries, add } = threadStory()
  add('thread.banter', 'ben', { on: true })
  add('thread.banter', 'mia', { on: false })
  const notices = viewThread(entries).items.flatMap((item) =>
    item.type === 'notice' ? [sayNotices(item.entries, (id) => id)] : [],
  )
  expect(notices).toEqual([
    'ben let the bots talk among themselves',
    'mia ended the talk of bots among themselves',
  ])
})
