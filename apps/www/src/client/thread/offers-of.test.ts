import { expect, test } from 'vitest'
import { shownBot, shownThread } from '../../../../../test/support/shown-thread.ts'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { offersOf } from './offers-of.ts'
import { viewThread } from './thread-view.ts'

const thread = shownThread({
  bots: [shownBot('Ada'), shownBot('Bo'), shownBot('Cy', { muted: true })],
})

type Story = ReturnType<typeof threadStory>

function offered(tell: (story: Story) => void) {
  const story = threadStory()
  tell(story)
  const { last } = viewThread(story.entries)
  if (last === undefined) throw new Error('the story has no decision')
  const { canContinue, ask, isAgain } = offersOf(last, thread)
  return [
    ...(canContinue ? ['Continue'] : []),
    ...ask.map((one) => `${one.name}${isAgain ? ' again' : ''}`),
  ]
}

const told: readonly (readonly [
  title: string,
  offers: readonly string[],
  tell: (story: Story) => void,
])[] = [
  [
    'undecided offers every bot that may speak',
    ['Ada', 'Bo'],
    (story) => story.decide({ kind: 'undecided', rule: 'no_answer' }),
  ],
  [
    'a model that chose nobody may be overruled',
    ['Ada', 'Bo'],
    (story) => story.decide({ kind: 'paid' }),
  ],
  ['thanks leave nothing to do', [], (story) => story.decide({ rule: 'acknowledgement' })],
  ['a limit offers to go on', ['Continue'], (story) => story.decide({ rule: 'turn_limit' })],
  [
    'what went through too many threads offers to go on',
    ['Continue'],
    (story) => story.decide({ rule: 'hop_limit' }),
  ],
  [
    'a named bot at its limit offers to go on',
    ['Continue'],
    (story) => story.decide({ rule: 'blocked', about: [{ id: 'agt_ada', why: 'turn_limit' }] }),
  ],
  [
    'a named bot that is muted leaves the others',
    ['Ada', 'Bo'],
    (story) => story.decide({ rule: 'blocked', about: [{ id: 'agt_cy', why: 'muted' }] }),
  ],
  [
    'nothing is offered while the turn runs',
    [],
    (story) => story.decide({ speaker: 'agt_ada', rule: 'mention' }),
  ],
  [
    'nothing is offered after a reply',
    [],
    (story) => {
      story.decide({ speaker: 'agt_ada', rule: 'mention' })
      story.end({ status: 'replied' })
    },
  ],
  [
    '[F1] an interrupted bot may be asked again',
    ['Ada again'],
    (story) => {
      story.decide({ speaker: 'agt_ada', rule: 'mention' })
      story.end({ status: 'interrupted' })
    },
  ],
  [
    'a failed bot that left may not',
    [],
    (story) => {
      story.decide({ speaker: 'agt_gone', rule: 'mention' })
      story.end({ status: 'failed' })
    },
  ],
]

test.each(told)('%s: %o', (_, offers, tell) => {
  expect(offered(tell)).toEqual(offers)
})
