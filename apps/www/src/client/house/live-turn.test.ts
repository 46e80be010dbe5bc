import { expect, test } from 'vitest'
import { applyDelta, stateAt } from './live-turn.ts'

const delta = (at: number, text: string, more: { fence?: number; round?: number } = {}) => ({
  type: 'delta' as const,
  threadId: 't',
  decision: 1,
  fence: more.fence ?? 5,
  bot: 'ada',
  round: more.round ?? 0,
  after: 1,
  at,
  text,
})
const live = applyDelta(undefined, delta(0, 'Hel'))

test('pieces that follow each other make one text', () => {
  expect(applyDelta(live, delta(3, 'lo'))?.text).toBe('Hello')
})

test('a piece that comes twice is shown once', () => {
  expect(applyDelta(live, delta(0, 'Hel'))?.text).toBe('Hel')
})

test('after a missed piece nothing more is shown', () => {
  const broken = applyDelta(live, delta(9, '!'))
  expect(broken).toMatchObject({ text: 'Hel', whole: false })
  expect(applyDelta(broken, delta(10, '?'))).toEqual(broken)
})

test('a newer fence starts the text anew, and a lost turn writes nothing any more', () => {
  const restarted = applyDelta(live, delta(0, 'Hi', { fence: 6 }))
  expect(restarted).toMatchObject({ text: 'Hi', fence: 6 })
  expect(applyDelta(restarted, delta(3, 'lo', { fence: 5 }))).toEqual(restarted)
})

test('a turn that is joined in the middle shows nothing until its round is stored', () => {
  expect(applyDelta(undefined, delta(4, 'lo'))).toMatchObject({ text: '', whole: false })
})

test('a state is believed until its lease would lapse', () => {
  const deciding = { status: 'deciding' as const, fence: 1, until: 100 }
  expect(stateAt(deciding, 100)).toEqual(deciding)
  expect(stateAt(deciding, 101)).toEqual({ status: 'quiet' })
})
