import type { Bot } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { draftOf } from './bot-draft.ts'
import { trialOf } from './trial-of.ts'

const bot: Bot = {
  id: 'agt_1',
  name: 'Ada',
  handle: 'ada',
  description: 'Writes.',
  prompt: '',
  voice: '',
  model: '',
  triggerMode: null,
  arbeContext: true,
  toolsAllow: null,
  toolsDeny: [],
}

test.each([
  ['what is as saved is left out', {}, {}],
  [
    'what was changed is tried',
    { name: 'Eva', handle: 'eva', triggerMode: 'mention' as const },
    { name: 'Eva', handle: 'eva', triggerMode: 'mention' },
  ],
  ['an emptied name or handle is none', { name: ' ', handle: '' }, {}],
  ['an emptied description is one', { description: '' }, { description: '' }],
  ['how it speaks decides nothing', { prompt: 'Be brief.', voice: 'Calm.', model: 'x/y' }, {}],
])('%s', (_, change, trial) => {
  expect(trialOf(bot, { ...draftOf(bot), ...change })).toEqual({ id: 'agt_1', ...trial })
})
