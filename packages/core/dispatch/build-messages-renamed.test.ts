import { toActorId, toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'

import { storyteller } from '../../../test/support/entries.ts'
import { buildMessages } from './build-messages.ts'

test('[B15] what others said calls members as they are called now, edited or not', () => {
  const story = storyteller()
  const names = [{ id: 'coder', handle: 'dev' }]
  const entries = [
    story.add('chat', 'mia', { text: '@dev look, `@dev`', mentions: ['coder'], names }),
    story.add('chat', 'ben', { text: 'x' }),
    story.add('chat.edit', 'ben', { target: 2, text: '@dev too', mentions: ['coder'], names }),
  ]
  const [from, seen] = [toOffset(0), toOffset(3)]
  const messages = buildMessages(entries, {
    botId: toActorId('ann'),
    decision: { d: 1, from, to: seen, seen, requests: [] },
    names: new Map(),
    handles: new Map([[toActorId('coder'), 'coder']]),
    after: 0,
    budgetTokens: 8_000,
  })
  const said = messages.flatMap((one) => (one.role === 'user' ? [one.content] : [])).join('\n')
  expect(said.split('\n').filter((line) => line.startsWith('| '))).toEqual([
    '| @coder look, `@dev`',
    '| @coder too',
  ])
})
