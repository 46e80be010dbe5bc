import type { BotRequest } from '@arbe/sdk'
import { toActorId, toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'
import type { Who } from './people.ts'
import { sayState, type StateLineParts } from './say-state.ts'

const who = (id: string): Who => ({ id, name: id, handle: id, kind: 'bot', isDemo: false })
const owed = (bot: string): BotRequest => ({
  bot: toActorId(bot),
  entry: toOffset(1),
  by: 'mention',
  person: true,
  hops: 0,
})
const quiet: StateLineParts = { state: { status: 'quiet' }, waiting: [], typing: [], who, now: 0 }
const speaking = {
  status: 'speaking',
  fence: 1,
  bot: 'Ada',
  decision: 1,
  since: 0,
  until: 1,
} as const

const lines: readonly (readonly [said: string, over: Partial<StateLineParts>])[] = [
  ['', {}],
  ['Ada is typing', { typing: [who('Ada')] }],
  ['Ada and Bo are typing', { typing: [who('Ada'), who('Bo')] }],
  ['Ada waits for a turn', { waiting: [owed('Ada'), owed('Ada')] }],
  ['Choosing who answers', { state: { status: 'deciding', fence: 1, until: 1 } }],
  ['Ada is answering', { state: { ...speaking, tool: null } }],
  ['Ada is running npm (12 s)', { state: { ...speaking, tool: 'npm' }, now: 12_000 }],
]

test.each(lines)('the line says %o', (said, over) => {
  expect(sayState({ ...quiet, ...over })).toBe(said)
})
