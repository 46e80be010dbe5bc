import { toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { storyteller } from '../../../test/support/entries.ts'
import { agent, bot, person } from '../../../test/support/director-trace.ts'
import { type RosterToday, rosterAt } from './past-roster.ts'

const today: RosterToday = {
  thread: {
    title: '',
    banter: false,
    limitPerBot: 3,
    limitPerThread: 8,
    hops: 1,
    directorModel: null,
  },
  people: ['mia', 'ben'].map((handle) => ({ id: person(handle), name: handle, handle })),
  bots: ['ann', 'bo', 'cy'].map((handle) => bot(handle)),
}
const NOON = Date.UTC(2026, 0, 1, 12)
const ONE = '2026-01-01T13:00:00.000Z'
const [ann, bo, cy] = [agent('ann'), agent('bo'), agent('cy')]

function story() {
  const told = storyteller()
  const at = [
    told.add('thread.people', 'mia', { added: [person('mia')], removed: [] }),
    told.add('thread.bots', 'mia', { added: [ann, bo], modes: [{ bot: ann, mode: 'always' }] }),
    told.add('thread.mute', 'mia', { bot: bo, muted: true, until: ONE }),
    told.add('thread.limits', 'mia', { perBot: 2, perThread: 5 }),
    told.add('thread.banter', 'mia', { on: true }),
    told.add('thread.bots', 'mia', { added: [cy], removed: [ann] }),
    told.add('thread.mute', 'mia', { bot: bo, muted: false }),
    told.add('thread.bots', 'mia', { added: [ann] }),
  ]
  return at
}

test.each([
  [1, NOON, [], 3, false],
  [2, NOON, ['ann always', 'bo auto'], 3, false],
  [3, NOON, ['ann always', 'bo auto muted 2'], 3, false],
  [3, Date.parse(ONE), ['ann always', 'bo auto 2'], 3, false],
  [5, NOON, ['ann always', 'bo auto muted 2'], 2, true],
  [6, NOON, ['bo auto muted 2', 'cy auto'], 2, true],
  [8, NOON, ['bo auto 2', 'cy auto', 'ann auto'], 2, true],
] as const)('up to entry %i at %i the roster is %j', (seen, now, seats, limit, banter) => {
  const { thread, people, bots } = rosterAt(today, story(), { seen: toOffset(seen), now })
  expect(people.map(({ handle }) => handle)).toEqual(['mia'])
  expect([thread.limitPerBot, thread.banter, thread.hops]).toEqual([limit, banter, 1])
  expect(
    bots.map(({ handle, mode, muted, mutedAt }) =>
      [handle, mode, muted && 'muted', mutedAt].filter(Boolean).join(' '),
    ),
  ).toEqual(seats)
})
