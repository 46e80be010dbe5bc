import type { Thread, ThreadBot } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { whomItAsks } from './whom-it-asks.ts'

const bot = (name: string, over: Partial<ThreadBot> = {}): ThreadBot => ({
  id: `agt_${name}`,
  name,
  handle: name.toLowerCase(),
  description: '',
  model: '',
  demo: true,
  mode: 'auto',
  muted: false,
  mutedUntil: null,
  ...over,
})
const thread: Thread = {
  id: 'thr_1',
  title: '',
  head: 0,
  createdAt: '',
  lastAt: '',
  people: [],
  bots: [bot('Ada'), bot('Bo'), bot('Cy', { muted: true }), bot('Di', { mode: 'never' })],
  limitPerBot: 3,
  limitPerThread: 8,
  banter: false,
  offerAuto: false,
}

test.each([
  ['hello', ''],
  ['@bo X, @ada Y', 'Asks Bo, then Ada.'],
  ['@everyone hello', 'Asks Ada, then Bo. Cy is muted. Di is set never to speak.'],
  ['@cy and @zoe', 'Cy is muted. @zoe is not in this thread.'],
  ['`@ada`', ''],
])('%o: %o', (text, said) => {
  expect(whomItAsks(text, thread)).toBe(said)
})
