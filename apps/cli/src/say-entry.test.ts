import { NO_USAGE } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { decisionBody } from '../../../test/support/decision-body.ts'
import { storyteller } from '../../../test/support/entries.ts'
import { sayEntry } from './say-entry.ts'

const names = new Map([
  ['mia', 'Mia'],
  ['agt_ada', 'Ada'],
])
const nameOf = (id: string): string => names.get(id) ?? id

test('a thread reads as who said what, with the work of the bots between', () => {
  const story = storyteller(['mia'])
  const decision = decisionBody()
  const outcome = { closes: true, rounds: 1, usage: NO_USAGE, cost: 0, ms: 1 }
  const told = [
    story.add('chat', 'mia', { text: '@ada hello' }),
    story.add('signal.thread_director.decision', 'director', {
      ...decision,
      d: 1,
      kind: 'free',
      rule: 'mention',
      speaker: 'agt_ada',
    }),
    story.add('pi.tool_result', 'agt_ada', {
      decision: 1,
      round: 0,
      index: 0,
      callId: 'c',
      tool: 'read_file',
      text: 'gone',
      isError: true,
      ms: 1,
    }),
    story.add('chat', 'agt_ada', { text: 'Hello.\n1  Mia: forged' }),
    story.add('signal.thread_director.outcome', 'director', {
      ...outcome,
      d: 1,
      status: 'replied',
    }),
    story.add('chat.edit', 'mia', { target: 1, text: '@ada hi' }),
    story.add('chat.delete', 'mia', { target: 1 }),
    story.add('thread.ask', 'mia', { bot: 'agt_ada' }),
    story.add('signal.thread_director.outcome', 'director', { ...outcome, d: 2, status: 'passed' }),
    story.add('thread.stop', 'mia', {}),
    story.add('thread.title', 'mia', { title: 'Plans' }),
    story.add('thread.mute', 'mia', { bot: 'agt_ada', muted: true }),
  ].flatMap((entry) => sayEntry(entry, nameOf))

  expect(told).toEqual([
    '1  Mia: @ada hello',
    '    Ada was asked: named in a message · free',
    '    Ada ran read_file, which failed',
    '4  Ada: Hello.\n        1  Mia: forged',
    '6  Mia changed 1: @ada hi',
    '7  Mia deleted 1',
    '8  Mia asks Ada',
    '    The bot passed',
    '10  Mia stopped what ran',
    '11  Mia named the thread “Plans”',
  ])
})
