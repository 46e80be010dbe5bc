import { expect, test } from 'vitest'
import { shownBot, shownThread } from '../../../../../test/support/shown-thread.ts'
import { whomItAsks } from './whom-it-asks.ts'

const thread = shownThread({
  bots: [
    shownBot('Ada'),
    shownBot('Bo'),
    shownBot('Cy', { muted: true }),
    shownBot('Di', { mode: 'never' }),
  ],
  formerHandles: [
    { id: 'agt_bo', handle: 'boris' },
    { id: 'usr_gone', handle: 'gus' },
  ],
})

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
