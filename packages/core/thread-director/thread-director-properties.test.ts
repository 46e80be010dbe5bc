import type { DecisionBody } from '@arbe/sdk'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { play, story } from '../../../test/support/director-stories.ts'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import { brokenLimits } from '../../../test/support/limit-oracle.ts'
import { brokenRequests } from '../../../test/support/request-oracle.ts'

type Thread = ReturnType<typeof directorTrace>

const handles = ['ann', 'bo', 'cy', 'di']

for (const bots of [1, 2, 3, 4]) {
  test.each([1, 2, 3, 4, 5])(
    `[A18] ${bots} bots that are named for ever take exactly %i turns each`,
    (limit) => {
      const named = handles.slice(0, bots)
      const thread = directorTrace({
        bots: named.map((handle) => bot(handle)),
        settings: { limitPerBot: limit, limitPerThread: 100 },
      })
      thread.say('mia', `@${named.join(' @')}`)
      const turn = () => {
        thread.hookSays(`@${named.join(' @')}`)
        return 'done.'
      }
      const lines = thread.rest({ turn })
      for (const handle of named) {
        expect(lines.filter((line) => line.startsWith(`${handle}:`))).toHaveLength(limit)
      }
    },
  )

  test.each([1, 2, 3, 4, 5])(`[A18] ${bots} bots share exactly %i turns of a thread`, (limit) => {
    const named = handles.slice(0, bots)
    const thread = directorTrace({
      bots: named.map((handle) => bot(handle)),
      settings: { limitPerBot: 100, limitPerThread: limit },
    })
    thread.say('mia', `@${named.join(' @')}`)
    const turn = () => {
      thread.hookSays(`@${named.join(' @')}`)
      return 'done.'
    }
    expect(thread.rest({ turn }).filter((line) => !line.startsWith('nobody'))).toHaveLength(limit)
  })
}

const closes = (thread: Thread, decision: DecisionBody): boolean =>
  decision.speaker === null ||
  thread.outcomes.some((outcome) => outcome.d === decision.d && outcome.closes)

test('[I1] every story comes to rest, and closing ranges cover each waking entry once', () => {
  fc.assert(
    fc.property(story, (told) => {
      const thread = play(told)
      const closing = thread.decisions.filter((decision) => closes(thread, decision))
      let covered = 0
      for (const { from, to } of closing) {
        expect(from).toBe(covered)
        expect(to).toBeGreaterThanOrEqual(from)
        covered = to
      }
      expect(covered).toBe(thread.decidedOffset)
      expect(thread.entries.some(({ wakes, seq }) => wakes && seq > covered)).toBe(false)
    }),
    { numRuns: 400 },
  )
})

test('[I1] [L2] whoever is asked for is served, or voided for a reason that holds, or listed as waiting', () => {
  fc.assert(
    fc.property(story, (told) => {
      expect(brokenRequests(play(told))).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})

test('[C2] [I9] nobody speaks past the limits unless a person asks for it, whatever bots write', () => {
  fc.assert(
    fc.property(story, (told) => {
      expect(brokenLimits(play(told))).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})

test('nobody speaks who could not be chosen, and a range is decided by models twice at most', () => {
  fc.assert(
    fc.property(story, (told) => {
      const { decisions, captures } = play(told)
      for (const [at, decision] of decisions.entries()) {
        const { speaker, candidates, paidCalls, to, turnsSincePerson, requests } = decision
        expect(paidCalls).toBeLessThanOrEqual(2)
        if (speaker === null) continue
        expect(candidates.find(({ id }) => id === speaker)?.eligible).toBe(true)
        expect(turnsSincePerson.at(-1)).toEqual({ bot: speaker, to })
        const seat = captures[at]?.bots.find(({ id }) => id === speaker)
        const isAsked = requests.some(({ bot: id, by }) => id === speaker && by === 'asked')
        expect([seat?.muted, seat?.external]).toEqual([false, false])
        expect(seat?.mode !== 'never' || isAsked).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('[I10] signals are read by nobody and decided about by nobody', () => {
  const thread = directorTrace({ bots: [bot('ann', { mode: 'always' })] })
  const body = { childThreadId: 'thr_2', status: 'completed' }
  const author = { id: agent('system'), kind: 'system' as const }
  for (let at = 0; at < 1_000; at += 1) {
    thread.append('signal.thread.child_finished', author, { wakes: false, body })
  }
  expect(thread.rest()).toEqual([])
  expect(thread.view()).toMatchObject({ texts: [], context: [], requests: [], unread: [] })
})
