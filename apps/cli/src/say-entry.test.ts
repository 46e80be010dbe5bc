import { type Entry, NO_USAGE } from '@arbe/sdk'
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
    story.add('thread.people', 'mia', { added: ['ben'], removed: [] }),
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

const until = new Date()
until.setHours(23, 59, 0, 0)

type Change = (story: ReturnType<typeof storyteller>) => Entry

const changes: readonly (readonly [line: string, change: Change])[] = [
  ['muted Ada', (s) => s.add('thread.mute', 'mia', { bot: 'agt_ada', muted: true })],
  [
    'muted Ada until 23:59',
    (s) => s.add('thread.mute', 'mia', { bot: 'agt_ada', muted: true, until: until.toISOString() }),
  ],
  ['unmuted Ada', (s) => s.add('thread.mute', 'mia', { bot: 'agt_ada', muted: false })],
  [
    'set the limits to 5 turns a bot, 20 a thread',
    (s) => s.add('thread.limits', 'mia', { perBot: 5, perThread: 20 }),
  ],
  ['let the bots talk among themselves', (s) => s.add('thread.banter', 'mia', { on: true })],
  ['ended the talk of bots among themselves', (s) => s.add('thread.banter', 'mia', { on: false })],
]

test.each(changes)('a change of who may speak is told: Mia %s', (line, change) => {
  expect(sayEntry(change(storyteller()), nameOf)).toEqual([`1  Mia ${line}`])
})
