import { expect, test } from 'vitest'

import { ARBE_CONTEXT, DELEGATION_HANDOVER_GUIDANCE, TRANSCRIPT_FORMAT } from './arbe-context.ts'
import { systemPrompt } from './system-prompt.ts'

const bot = {
  name: 'Ann',
  handle: 'ann',
  prompt: 'You are kind.',
  voice: 'short',
  arbeContext: true,
}
const me = 'Your name is Ann, your handle is @ann.'

test('the parts stand in one order, those that are empty are left out', () => {
  expect(systemPrompt(bot, { handover: true, notes: ['No box is bound.', ' '] })).toBe(
    [
      ARBE_CONTEXT,
      me,
      'You are kind.',
      'How you speak: short',
      TRANSCRIPT_FORMAT,
      DELEGATION_HANDOVER_GUIDANCE,
      'No box is bound.',
    ].join('\n\n'),
  )
})

test('a bot may know nothing of arbe, but how the others are quoted it is always told', () => {
  const plain = { ...bot, prompt: '', voice: '', arbeContext: false }
  expect(systemPrompt(plain, { handover: false, notes: [] })).toBe(`${me}\n\n${TRANSCRIPT_FORMAT}`)
})
