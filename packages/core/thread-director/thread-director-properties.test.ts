import { type DecisionBody, toOffset, type TriggerMode } from '@arbe/sdk'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { agent, bot, directorTrace, type Script } from '../../../test/support/director-trace.ts'
import type { TurnResult } from '../threads/turn.ts'

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

const who = fc.constantFrom('mia', 'ben')
const whom = fc.constantFrom(...handles)
const mode = fc.constantFrom<TriggerMode>('always', 'auto', 'mention', 'never')
const text = fc
  .array(
    fc.constantFrom(
      '@ann',
      '@bo',
      '@cy',
      '@di',
      '@@mia',
      '@@ben',
      '@everyone',
      'ok',
      'why?',
      'go on',
    ),
  )
  .map((words) => words.join(' '))
const place = fc.nat({ max: 30 }).map((at) => toOffset(at))

type Action = (thread: Thread) => unknown

/** What may happen in a thread at any time, also while a bot works. */
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(who, text, place).map(
    ([author, said, replyTo]): Action =>
      (t) =>
        t.say(author, said, { replyTo }),
  ),
  fc.tuple(who, text).map(
    ([author, said]): Action =>
      (t) =>
        t.say(author, said),
  ),
  fc.tuple(whom, text).map(
    ([author, said]): Action =>
      (t) =>
        t.botSays(author, said),
  ),
  text.map(
    (said): Action =>
      (t) =>
        t.hookSays(said),
  ),
  fc.tuple(who, text).map(
    ([author, said]): Action =>
      (t) =>
        t.say(author, said, { wakes: false }),
  ),
  fc.tuple(who, place, text).map(
    ([author, target, said]): Action =>
      (t) =>
        isChat(t, target) && t.edit(author, target, said),
  ),
  fc.tuple(who, place).map(
    ([author, target]): Action =>
      (t) =>
        isChat(t, target) && t.remove(author, target),
  ),
  fc.tuple(who, whom).map(
    ([author, asked]): Action =>
      (t) =>
        t.ask(author, asked),
  ),
  who.map(
    (author): Action =>
      (t) =>
        t.goOn(author),
  ),
  whom.map(
    (delegate): Action =>
      (t) =>
        t.handover(delegate),
  ),
  fc.tuple(whom, mode).map(
    ([changed, to]): Action =>
      (t) =>
        t.mode(changed, to),
  ),
  fc.tuple(whom, fc.boolean()).map(
    ([changed, muted]): Action =>
      (t) =>
        t.set(changed, { muted }),
  ),
  whom.map(
    (leaver): Action =>
      (t) =>
        t.leave(leaver),
  ),
)

function isChat(thread: Thread, target: number): boolean {
  return thread.entries[target - 1]?.kind === 'chat'
}

const result: fc.Arbitrary<Partial<TurnResult>> = fc.oneof(
  text.map((said) => ({ status: 'replied' as const, text: said })),
  fc.constantFrom<Partial<TurnResult>>(
    { status: 'passed' },
    { status: 'silent' },
    { status: 'failed' },
    { status: 'interrupted' },
    { status: 'cancelled', because: 'stopped' },
    { status: 'cancelled', because: 'cause_deleted' },
    { status: 'cancelled', because: 'speaker_left' },
  ),
)

const story = fc.record({
  modes: fc.array(mode, { minLength: 4, maxLength: 4 }),
  before: fc.array(action, { maxLength: 8 }),
  /** What happens during each turn, and how it ends. */
  turns: fc.array(fc.tuple(fc.array(action, { maxLength: 2 }), result), { maxLength: 8 }),
  picks: fc.array(fc.nat({ max: 4 }), { maxLength: 8 }),
  later: fc.array(action, { maxLength: 6 }),
})

function play({
  modes,
  before,
  turns,
  picks,
  later,
}: typeof story extends fc.Arbitrary<infer S> ? S : never): Thread {
  const thread = directorTrace({
    bots: handles.map((handle, at) => bot(handle, { mode: modes[at] ?? 'auto' })),
    people: ['mia', 'ben'],
  })
  const coming = [...turns]
  const choices = [...picks]
  const script: Script = {
    turn: () => {
      const [meanwhile, ends] = coming.shift() ?? [[], { status: 'passed' as const }]
      for (const act of meanwhile) act(thread)
      return ends
    },
    pick: ({ candidates, nobodyAllowed }) => {
      const choice = candidates[choices.shift() ?? 0]?.slice(4)
      return choice ?? (nobodyAllowed ? null : (candidates[0]?.slice(4) ?? null))
    },
  }
  for (const act of before) act(thread)
  thread.rest(script)
  for (const act of later) act(thread)
  thread.rest(script)
  return thread
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

test('[I1] every request is served, voided with a reason, or still listed', () => {
  fc.assert(
    fc.property(story, (told) => {
      const thread = play(told)
      const [first, ...rest] = thread.decisions
      let before = first
      for (const after of rest) {
        const outcome = thread.outcomes.find(({ d }) => d === before?.d)
        const voided = [...(outcome?.voided ?? []), ...after.voided]
        for (const request of before?.requests ?? []) {
          const same = (one: { bot: string; entry: number }) =>
            one.bot === request.bot && one.entry === request.entry
          const served = before?.speaker === request.bot && request.entry <= before.to
          const ends = [served, voided.some(same), after.requests.some(same)].filter(Boolean)
          expect(ends).toHaveLength(1)
        }
        before = after
      }
    }),
    { numRuns: 400 },
  )
})

test('nobody speaks who could not be chosen, and a range is decided by models twice at most', () => {
  fc.assert(
    fc.property(story, (told) => {
      for (const decision of play(told).decisions) {
        const { speaker, candidates, paidCalls, to, turnsSincePerson } = decision
        expect(paidCalls).toBeLessThanOrEqual(2)
        if (speaker === null) continue
        expect(candidates.find(({ id }) => id === speaker)?.eligible).toBe(true)
        expect(turnsSincePerson.at(-1)).toEqual({ bot: speaker, to })
      }
    }),
    { numRuns: 400 },
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
