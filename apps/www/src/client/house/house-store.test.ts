import type { Entry } from '@arbe/sdk'
import { createClient } from '@arbe/sdk/client'
import { expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../../../test/support/memory-storage.ts'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { HouseStore } from './house-store.ts'

/** A house of one thread whose stream is `story`, behind the real client. */
function houseOf(story: { readonly entries: readonly Entry[] }) {
  const asked: string[] = []
  const answers = (path: string, query: URLSearchParams): unknown => {
    if (path.endsWith('/state')) return { status: 'quiet' }
    if (path === '/v1/threads') return { threads: [], next: null }
    if (!path.endsWith('/entries')) return { id: 'thr_1', people: [], bots: [] }
    const after = Number(query.get('after') ?? -1)
    const limit = Number(query.get('limit'))
    const rest = story.entries.filter(({ seq }) => seq > after)
    const entries = after < 0 ? rest.slice(-limit) : rest.slice(0, limit)
    return { entries, more: rest.length > entries.length }
  }
  const client = createClient({
    baseUrl: 'http://house',
    fetch: async (input) => {
      const { pathname, search, searchParams } = new URL(
        input instanceof Request ? input.url : input,
      )
      asked.push(pathname + search)
      return Response.json(answers(pathname, searchParams))
    },
  })
  return { store: new HouseStore(client, memoryStorage()), asked }
}

const shown = (store: HouseStore) =>
  store
    .getState()
    .open.get('thr_1')
    ?.log.entries.map(({ seq }) => Number(seq))
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

function longStory(length: number) {
  const story = threadStory()
  for (let n = 0; n < length; n += 1) story.say('mia', `${n}`)
  return story
}

test('a thread opens with its last page, however long it is', async () => {
  const { store, asked } = houseOf(longStory(20_000))
  await store.openThread('thr_1')
  expect(shown(store)).toEqual(upTo(20_000).slice(-100))
  expect(asked.filter((path) => path.includes('/entries'))).toHaveLength(2)
})

test('an entry that comes after a hole brings everything between', async () => {
  const story = longStory(3)
  const { store } = houseOf(story)
  await store.openThread('thr_1')
  for (let n = 0; n < 250; n += 1) story.say('ben', `missed ${n}`)
  const last = story.entries.at(-1)
  if (last === undefined) throw new Error('the story is empty')
  store.take({ type: 'entry', entry: last })
  await vi.waitFor(() => expect(shown(store)).toEqual(upTo(253)))
})

test('[C7] when the feed is back, what was missed is read, and no old state stays', async () => {
  const story = longStory(2)
  const { store } = houseOf(story)
  await store.openThread('thr_1')
  store.onFeedStatus('live')
  const until = Number.MAX_SAFE_INTEGER
  store.take({ type: 'state', threadId: 'thr_1', state: { status: 'deciding', fence: 1, until } })
  story.say('ben', 'missed')
  store.onFeedStatus('waiting')
  store.onFeedStatus('live')
  await vi.waitFor(() => expect(shown(store)).toEqual([1, 2, 3]))
  await vi.waitFor(() =>
    expect(store.getState().open.get('thr_1')?.state).toEqual({ status: 'quiet' }),
  )
})
