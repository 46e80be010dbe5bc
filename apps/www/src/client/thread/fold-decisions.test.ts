import { expect, test } from 'vitest'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import type { ThreadItem } from './thread-item.ts'
import { viewThread } from './thread-view.ts'

const told = (item: ThreadItem): string => {
  switch (item.type) {
    case 'message':
      return item.text
    case 'decision':
      return `${item.decision.rule ?? 'chosen'}${item.after === undefined ? '' : ' then nobody'}`
    case 'nobodies':
      return `${item.decisions.length} × nobody`
    case 'turn':
    case 'outcome':
    case 'notice':
      return item.type
  }
}
const linesOf = (story: ReturnType<typeof threadStory>) => viewThread(story.entries).items.map(told)

test('nobody among people is told once, under the last word', () => {
  const story = threadStory()
  for (const text of ['one', 'two', 'three']) {
    story.say('mia', text)
    story.decide({ speaker: null, rule: 'to_people' })
  }
  expect(linesOf(story)).toEqual(['one', 'two', 'three', '3 × nobody'])
})

test('what a bot did in between is not folded over', () => {
  const story = threadStory()
  story.say('mia', 'one')
  story.decide({ speaker: null, rule: 'to_people' })
  story.say('mia', '@ada')
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.reply('agt_ada', 'yes')
  story.say('mia', 'two')
  story.decide({ speaker: null, rule: 'to_people' })
  expect(linesOf(story)).toEqual([
    'one',
    'to_people',
    '@ada',
    'mention',
    'turn',
    'two',
    'to_people',
  ])
})

test('a bot that is driven from outside ends the fold as well', () => {
  const story = threadStory()
  story.say('mia', 'one')
  story.decide({ speaker: null, rule: 'to_people' })
  story.add('chat', 'agt_outside', { text: 'beep' })
  story.decide({ speaker: null, rule: 'bot_spoke' })
  expect(linesOf(story)).toEqual(['one', 'to_people', 'beep', 'bot_spoke'])
})

test('that a reply asked nobody is told with the decision that made it', () => {
  const story = threadStory()
  story.say('mia', '@ada')
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.reply('agt_ada', 'yes')
  story.decide({ speaker: null, rule: 'bot_spoke' })
  expect(linesOf(story)).toEqual(['@ada', 'mention then nobody', 'turn'])
})

test.each([
  'turn_limit',
  'named_unavailable',
  'blocked',
  'passed',
  'stopped',
  'budget_spent',
] as const)('nobody by %s keeps its own line, since something may be done about it', (rule) => {
  const story = threadStory()
  story.say('mia', 'one')
  story.decide({ speaker: null, rule })
  story.say('mia', 'two')
  story.decide({ speaker: null, rule })
  expect(linesOf(story)).toEqual(['one', rule, 'two', rule])
})

test('undecided never hides among nobodies', () => {
  const story = threadStory()
  story.say('mia', 'one')
  story.decide({ speaker: null, rule: 'to_people' })
  story.say('mia', 'two')
  story.decide({ speaker: null, kind: 'undecided', rule: 'no_answer' })
  expect(linesOf(story)).toEqual(['one', 'to_people', 'two', 'no_answer'])
})

test('a limit that is reached is told once, until a person writes', () => {
  const story = threadStory()
  const ends = (rule: 'turn_limit' | 'hop_limit'): void => {
    story.say('agt_ext', '@ada?')
    story.decide({ speaker: null, rule })
  }
  ends('turn_limit')
  ends('turn_limit')
  ends('hop_limit')
  expect(linesOf(story)).toEqual(['@ada?', '@ada?', '@ada?', '3 × nobody'])
  story.say('mia', '@ada go on')
  ends('turn_limit')
  expect(linesOf(story).slice(4)).toEqual(['@ada go on', '@ada?', 'turn_limit'])
})
