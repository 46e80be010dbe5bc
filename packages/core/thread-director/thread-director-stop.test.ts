import { type DecisionBody, NO_USAGE, type OutcomeBody, toOffset } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { agent, bot, directorTrace, requestOf } from '../../../test/support/director-trace.ts'
import { planStop, type StopView } from './thread-director-stop.ts'

/** A decision as it is stored while ann’s turn runs, or after nobody was chosen. */
function decision(over: Partial<DecisionBody> = {}): DecisionBody {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
  thread.say('mia', '@ann @bo please')
  const stored = thread.pass()
  if (stored === undefined) throw new Error('a mention is decided')
  return { ...stored, ...over }
}

const outcome: OutcomeBody = {
  d: 1,
  closes: true,
  status: 'replied',
  rounds: 1,
  usage: NO_USAGE,
  cost: 0,
  ms: 1,
  voided: [],
}

/** A thread in which all is decided and nobody is owed anything. */
const atRest: StopView = {
  decidedOffset: toOffset(4),
  head: toOffset(6),
  wakeHead: toOffset(4),
  held: false,
  lastDecision: undefined,
  lastOutcome: undefined,
  requests: { open: [], voided: [] },
  lastWord: toOffset(0),
}

describe('a turn that runs', () => {
  test('[L7] is cancelled with its debts, whatever else waits', () => {
    const running = decision()
    const plan = planStop({ ...atRest, wakeHead: toOffset(9), lastDecision: running })
    expect(plan).toEqual({
      kind: 'cancel',
      decision: running,
      result: {
        status: 'cancelled',
        because: 'stopped',
        rounds: 0,
        usage: NO_USAGE,
        cost: 0,
        ms: 0,
      },
      closing: {
        closes: true,
        reply: undefined,
        voided: [{ bot: agent('bo'), entry: 1, why: 'stopped' }],
      },
    })
  })

  test('[F9] is none once its outcome is stored, or where nobody was chosen', () => {
    const lastDecision = decision()
    expect(planStop({ ...atRest, lastDecision, lastOutcome: outcome })).toEqual({ kind: 'idle' })
    const nobody = decision({ speaker: null })
    expect(planStop({ ...atRest, lastDecision: nobody })).toEqual({ kind: 'idle' })
    expect(planStop(atRest)).toEqual({ kind: 'idle' })
  })
})

describe('what waits', () => {
  const waiting: StopView = { ...atRest, wakeHead: toOffset(6) }
  const nobody = {
    from: 4,
    to: 6,
    seen: 6,
    kind: 'free',
    rule: 'stopped',
    speaker: null,
    candidates: [],
    requests: [],
    voided: [],
    turnsSincePerson: [],
    passedBy: [],
    paidCalls: 0,
    about: [],
    cost: 0,
    hops: 0,
    ms: 0,
  }

  test('[L16] is answered with nobody', () => {
    expect(planStop(waiting)).toEqual({ kind: 'nobody', draft: nobody })
  })

  test('[L16] takes along what is owed, beside what was void before', () => {
    const gone = { bot: agent('ann'), entry: toOffset(5), why: 'deleted' } as const
    const requests = { open: [requestOf('bo', 6)], voided: [gone] }
    expect(planStop({ ...waiting, requests })).toEqual({
      kind: 'nobody',
      draft: { ...nobody, voided: [gone, { bot: agent('bo'), entry: 6, why: 'stopped' }] },
    })
  })

  test('for a debt is stopped while somebody holds the thread, and else waits for a person', () => {
    const requests = { open: [requestOf('bo', 3)], voided: [] }
    const owed = { ...atRest, requests, lastOutcome: outcome, lastDecision: decision() }
    expect(planStop({ ...owed, held: true })).toMatchObject({
      kind: 'nobody',
      draft: { voided: [{ bot: agent('bo'), entry: 3, why: 'stopped' }] },
    })
    expect(planStop(owed)).toEqual({ kind: 'idle' })
    expect(planStop({ ...atRest, held: true })).toEqual({ kind: 'idle' })
  })

  test('keeps the count of turns since a person spoke, and of a model’s failures', () => {
    const turn = (to: number) => ({ bot: agent('ann'), to: toOffset(to) })
    const failing = { model: 'm/one', times: 2 }
    const lastDecision = decision({
      speaker: null,
      turnsSincePerson: [turn(2), turn(3), turn(4)],
      failing,
    })
    expect(planStop({ ...waiting, lastDecision, lastWord: toOffset(3) })).toEqual({
      kind: 'nobody',
      draft: { ...nobody, turnsSincePerson: [turn(3), turn(4)], failing },
    })
  })
})
