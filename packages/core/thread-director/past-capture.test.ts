import { toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { decisionBody } from '../../../test/support/decision-body.ts'
import { agent, bot, person } from '../../../test/support/director-trace.ts'
import { storyteller } from '../../../test/support/entries.ts'
import { captureAt, type DecisionEntry } from './past-capture.ts'
import { viewOf } from './thread-director-entry-view.ts'
import { decide } from './thread-director-rules.ts'

const ann = agent('ann')
const ONE = '2020-01-01T13:00:00.000Z'
const today = {
  thread: {
    title: '',
    banter: false,
    limitPerBot: 3,
    limitPerThread: 8,
    hops: 0,
    directorModel: null,
  },
  people: ['mia', 'ben'].map((handle) => ({ id: person(handle), name: handle, handle })),
  bots: [bot('ann'), bot('bo')],
}

/** Ann is muted until one o'clock and is spoken to; so long it took to decide, and then the decision was stored. */
function decided(at: string, ms: number) {
  const told = storyteller()
  const entries = [
    told.add('thread.people', 'mia', { added: today.people.map(({ id }) => id), removed: [] }),
    told.add('thread.bots', 'mia', { added: [ann, agent('bo')] }),
    told.add('thread.mute', 'mia', { bot: ann, muted: true, until: ONE }),
    told.add('chat', 'mia', { text: '@ann hello', mentions: [ann] }),
  ]
  const [from, to] = [toOffset(3), toOffset(4)]
  const body = decisionBody({ from, to, seen: to, ms })
  const entry = told.add('signal.thread_director.decision', 'director', body, { at })
  return { past: { entries: [...entries, entry], today }, entry: entry as DecisionEntry }
}

test('a mute that is over by now held when it was decided, to the moment at which that began', () => {
  const { past, entry } = decided('2020-01-01T13:00:00.200Z', 500)
  const capture = captureAt(past, entry)
  expect(new Date(capture.now).toISOString()).toBe('2020-01-01T12:59:59.700Z')
  expect(decide(viewOf(capture))).toEqual({
    kind: 'free',
    rule: 'named_unavailable',
    speaker: null,
    about: [{ id: ann, why: 'muted', until: ONE }],
  })
})

test('a mute that was over when it was decided held no more', () => {
  const { past, entry } = decided('2020-01-01T13:00:00.200Z', 100)
  expect(decide(viewOf(captureAt(past, entry)))).toMatchObject({ rule: 'mention', speaker: ann })
})
