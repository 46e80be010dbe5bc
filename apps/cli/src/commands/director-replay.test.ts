import { type DecisionBody, toActorId } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { decisionBody as decision } from '../../../../test/support/decision-body.ts'
import { sayReplay } from './director-replay.ts'

const ada = toActorId('agt_ada')
const at = '2026-01-01T12:00:00Z'
const thanks = decision({ rule: 'acknowledgement' })
const paid = (speaker: DecisionBody['speaker'], reason: string, cost: number): DecisionBody =>
  decision({ kind: 'paid', speaker, reason, cost, model: 'm' })

const none = { same: 0, different: 0, notComparable: 0, notAsked: 0, notReplayed: 0 }
const unmade = (seq: number, note: string) =>
  ({ seq, at, verdict: 'not_replayed', stored: thanks, now: null, note }) as const

test('what differs is told as it was and as it would be, the rest is counted', () => {
  const lines = sayReplay(
    {
      ...none,
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
      ],
      same: 1,
      different: 2,
      cost: { stored: 0.003, now: 0.001 },
    },
    () => 'Ada',
  )
  expect(lines).toEqual([
    '7  Ada was asked: she knows · $0.0030',
    '   now  Nobody: small talk · $0.0010',
    '9  Nobody: thanks only · free',
    '   now  no rule answers any more',
    '1 the same, 2 different; choosing cost $0.0030 then, $0.0010 now',
    'Names, descriptions, tools, bots’ own modes and the house’s limits are those of today; a difference can come from them.',
  ])
})

test('a question that nobody answered then stands with its answer of now, and no difference is explained', () => {
  const spent = decision({ rule: 'budget_spent' })
  const note = 'no model was asked then: the budget of the day was spent'
  const now = paid(ada, 'she knows', 0.001)
  const lines = sayReplay(
    {
      ...none,
      decisions: [{ seq: 12, at, verdict: 'not_comparable', stored: spent, now, note }],
      notComparable: 1,
      cost: { stored: 0, now: 0.001 },
    },
    () => 'Ada',
  )
  expect(lines).toEqual([
    '12  no model was asked then: the budget of the day was spent',
    '    now  Ada was asked: she knows · $0.0010',
    '0 the same, 0 different, 1 not to be compared; choosing cost $0 then, $0.0010 now',
  ])
})

test('what is not made again is told once for each reason, however often it holds', () => {
  const lines = sayReplay(
    {
      ...none,
      decisions: [
        unmade(12, 'the model refused to answer: 401'),
        unmade(15, 'no model was asked any more after 12'),
        unmade(18, 'no rule and no model decided it'),
        unmade(21, 'no model was asked any more after 12'),
        unmade(27, 'no model was asked any more after 12'),
      ],
      notReplayed: 5,
      cost: { stored: 0, now: 0 },
    },
    () => 'Ada',
  )
  expect(lines).toEqual([
    '12  not made again: the model refused to answer: 401',
    '15 to 27, 3 decisions  not made again: no model was asked any more after 12',
    '18  not made again: no rule and no model decided it',
    '0 the same, 0 different, 5 not made again; choosing cost $0 then, $0 now',
  ])
})

test('where no model is named, what one would choose is counted as not asked, and there is no bill', () => {
  const lines = sayReplay(
    {
      ...none,
      decisions: [
        { seq: 4, at, verdict: 'same', stored: thanks, now: thanks, note: null },
        {
          seq: 7,
          at,
          verdict: 'not_asked',
          stored: paid(ada, 'she knows', 0.003),
          now: null,
          note: 'no rule answers it',
        },
      ],
      same: 1,
      notAsked: 1,
      cost: { stored: 0.003, now: null },
    },
    () => 'Ada',
  )
  expect(lines).toEqual([
    '1 the same, 0 different, 1 left to a model and not asked (--model asks one); choosing cost $0.0030 then',
  ])
})
