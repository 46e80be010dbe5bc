import { type DecisionBody, toActorId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { decisionBody as decision } from '../../../../test/support/decision-body.ts'
import { sayReplay } from './director-replay.ts'

const ada = toActorId('agt_ada')
const at = '2026-01-01T12:00:00Z'
const thanks = decision({ rule: 'acknowledgement' })
const stopped = decision({ rule: 'stopped' })
const paid = (speaker: DecisionBody['speaker'], reason: string, cost: number): DecisionBody =>
  decision({ kind: 'paid', speaker, reason, cost, model: 'm' })

test('what differs is told as it was and as it would be, the rest is counted', () => {
  const lines = sayReplay(
    {
      decisions: [
        { seq: 4, at, verdict: 'same', stored: thanks, now: thanks, note: null },
        {
          seq: 7,
          at,
          verdict: 'different',
          stored: paid(ada, 'she knows', 0.003),
          now: paid(null, 'small talk', 0.001),
          note: null,
        },
        {
          seq: 9,
          at,
          verdict: 'different',
          stored: thanks,
          now: null,
          note: 'no rule answers any more',
        },
        { seq: 12, at, verdict: 'not_replayed', stored: stopped, now: null, note: 'no rule did' },
      ],
      same: 1,
      different: 2,
      notReplayed: 1,
      cost: { stored: 0.003, now: 0.001 },
    },
    () => 'Ada',
  )
  expect(lines).toEqual([
    '7  Ada was asked: she knows · $0.0030',
    '  now  Nobody: small talk · $0.0010',
    '9  Nobody: thanks only · free',
    '  now  no rule answers any more',
    '12  Nobody: stopped · free',
    '  not made again: no rule did',
    '1 the same, 2 different, 1 not made again; choosing cost $0.0030 then, $0.0010 now',
  ])
})
