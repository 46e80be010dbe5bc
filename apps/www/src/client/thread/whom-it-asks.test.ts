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
  formerHandles: [
    { id: 'agt_Bo', handle: 'boris' },
    { id: 'usr_gone', handle: 'gus' },
  ],
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
  ['@zoe @zoe', '@zoe is not in this thread.'],
])('%o: %o', (text, said) => {
  expect(whomItAsks(text, thread)).toBe(said)
})

test.each([
  ['@boris hello', '@boris is now @bo.'],
  ['@Boris, @ada and @eve', 'Asks Ada. @Boris is now @bo. @eve is not in this thread.'],
  ['@gus and @eve', '@gus, @eve are not in this thread.'],
])('[B15] a former handle asks nobody and names the present one: %o', (text, said) => {
  expect(whomItAsks(text, thread)).toBe(said)
})
