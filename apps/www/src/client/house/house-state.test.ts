import type { Entry, FeedEvent, Me } from '@arbe/sdk'
import { toThreadId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { shownThread } from '../../../../../test/support/shown-thread.ts'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { applyEvent, emptyHouse, type HouseState, type OpenThread } from './house-state.ts'

const me: Me = {
  person: { id: 'mia', name: 'Mia', handle: 'mia', role: 'owner' },
  house: { id: 'hse_1', name: 'House', directorModel: '' },
  demo: true,
}
const thread = shownThread({ title: 'One', head: 2 })
const story = threadStory()
story.say('mia', 'one')
story.say('ben', 'two')
const entries = [...story.entries]
const answer = { decision: 1, fence: 1, bot: 'ada', round: 0, after: 2 }
const live = { ...answer, text: 'Hel', whole: true }
const piece = (at: number, text: string, over: Partial<typeof answer> = {}): FeedEvent => ({
  type: 'delta',
  threadId: 'thr_1',
  ...answer,
  ...over,
  at,
  text,
})
const open: OpenThread = {
  thread,
  log: { entries, older: false },
  state: { status: 'deciding', fence: 1, until: 9 },
  live,
  typing: new Map([['ben', 9]]),
}
const house: HouseState = {
  ...emptyHouse,
  me,
  threads: [{ id: 'thr_1', title: 'One', head: 2, newsTo: 2, lastAt: '2026-01-01' }],
  open: new Map([['thr_1', open]]),
  marks: new Map([['thr_1', 2]]),
}

/** The next entry of the thread, told by the story. */
function next(tell: (more: ReturnType<typeof threadStory>) => void, seq = 3): Entry {
  const more = threadStory()
  tell(more)
  const entry = more.entries.at(-1)
  if (entry === undefined) throw new Error('nothing was told')
  return { ...entry, seq: more.add('thread.continue', 'mia', {}, { seq }).seq }
}
const apply = (event: FeedEvent, from = house) => applyEvent(from, event, 1_000)
const entryEvent = (entry: Entry): FeedEvent => ({ type: 'entry', entry })
const opened = (after: HouseState) => after.open.get('thr_1')

test('a message extends the log, ends its author’s typing and leaves the thread unread', () => {
  const { house: after, errands } = apply(entryEvent(next((more) => more.say('ben', 'three'))))
  expect(opened(after)?.log.entries.map(({ seq }) => Number(seq))).toEqual([1, 2, 3])
  expect(opened(after)?.typing).toEqual(new Map())
  expect(after.threads).toMatchObject([{ id: 'thr_1', head: 3 }])
  expect(after.marks.get('thr_1')).toBe(2)
  expect(errands).toEqual([])
})

test('an entry that says nothing new leaves a read thread read', () => {
  const after = apply(entryEvent(next((more) => more.decide({})))).house
  expect(after.marks.get('thr_1')).toBe(3)
})

test('an imported message is news to nobody, also where the thread was not read to its end', () => {
  const imported = next(
    (more) => void more.add('chat', 'ben', { text: 'old', saidAt: '2020-05-05T05:05:05Z' }),
  )
  const unread = { ...house, marks: new Map([['thr_1', 1]]) }
  const after = [house, unread].map((from) => apply(entryEvent(imported), from).house)
  expect(after.map(({ threads, marks }) => [threads[0]?.newsTo, marks.get('thr_1')])).toEqual([
    [2, 3],
    [2, 1],
  ])
})

test('a gap is not filled by guessing: the thread is read on', () => {
  const { house: after, errands } = apply(entryEvent(next((more) => more.say('ben', 'x'), 5)))
  expect(opened(after)?.log).toEqual(open.log)
  expect(errands).toEqual([{ type: 'read_on', threadId: 'thr_1' }])
})

const storedRound = (d: number): Entry =>
  next((more) => {
    for (let n = 0; n < d; n += 1) more.decide({})
    more.round(0, { text: 'Hello', tools: [] })
  })

test('a stored round takes the place of what was streamed', () => {
  expect(opened(apply(entryEvent(storedRound(1))).house)?.live).toBeUndefined()
  const said = next((more) => more.say('ben', 'meanwhile'))
  expect(opened(apply(entryEvent(said)).house)?.live).toEqual(live)
})

test('[F2] what was stored before its last pieces came is not shown a second time', () => {
  const { house: after } = apply(entryEvent(storedRound(1)))
  expect(opened(apply(piece(0, 'Hello'), after).house)?.live).toBeUndefined()
  expect(opened(apply(piece(3, 'lo'), after).house)?.live).toBeUndefined()
  // The answer after it, the same turn taken up by another worker, and another bot's are shown.
  for (const over of [{ round: 1, after: 3 }, { fence: 2, after: 3 }, { decision: 2 }])
    expect(opened(apply(piece(0, 'Next', over), after).house)?.live).toMatchObject({
      ...over,
      text: 'Next',
    })
})

test('[F2] an answer that came before the round before it is not taken for that one', () => {
  const early = { round: 1, after: 3 }
  const { house: ahead } = apply(piece(0, 'Next', early))
  expect(opened(apply(entryEvent(storedRound(1)), ahead).house)?.live?.text).toBe('Next')
})

test('an entry of an unknown thread brings the list anew', () => {
  const entry = { ...next((more) => more.say('ben', 'x')), threadId: toThreadId('thr_2') }
  expect(apply(entryEvent(entry)).errands).toEqual([{ type: 'reload_threads' }])
})

test('a changed roster or title is fetched, since an entry holds only ids', () => {
  const mute = next((more) => void more.add('thread.mute', 'ben', { bot: 'ada', muted: true }))
  expect(apply(entryEvent(mute)).errands).toEqual([{ type: 'reload_thread', threadId: 'thr_1' }])
  const title = next((more) => void more.add('thread.title', 'ben', { title: 'Two' }))
  expect(apply(entryEvent(title)).errands).toEqual([
    { type: 'reload_threads' },
    { type: 'reload_thread', threadId: 'thr_1' },
  ])
})

test('whoever is removed has the thread no longer', () => {
  const gone = next(
    (more) => void more.add('thread.people', 'ben', { added: [], removed: ['mia'] }),
  )
  const { house: after } = apply(entryEvent(gone))
  expect([after.threads, after.open.size]).toEqual([[], 0])
})

test('a delta, a state and somebody typing change the open thread alone', () => {
  const delta = apply(piece(3, 'lo')).house
  expect(opened(delta)?.live?.text).toBe('Hello')
  const state = apply({ type: 'state', threadId: 'thr_1', state: { status: 'quiet' } }).house
  expect(opened(state)?.state).toEqual({ status: 'quiet' })
  const typing = apply({ type: 'typing', threadId: 'thr_1', person: 'zoe' }).house
  expect(opened(typing)?.typing.get('zoe')).toBe(7_000)
  expect(apply({ type: 'typing', threadId: 'thr_9', person: 'zoe' }).house).toEqual(house)
})

test('after a reset everything is opened anew', () => {
  const { house: after, errands } = apply({ type: 'reset' })
  expect(after.open.size).toBe(0)
  expect(errands).toEqual([{ type: 'reload_threads' }])
})
