import type { Offset, TriggerMode } from '@arbe/sdk'
import * as fc from 'fast-check'
import type { TurnResult } from '../../packages/core/threads/turn.ts'
import { bot, directorTrace, type Script } from './director-trace.ts'

type Thread = ReturnType<typeof directorTrace>

const handles = ['ann', 'bo', 'cy', 'di']
const minutes = (count: number): number => count * 60_000
const settings = fc.record({
  banter: fc.boolean(),
  limitPerBot: fc.integer({ min: 1, max: 3 }),
  limitPerThread: fc.integer({ min: 1, max: 6 }),
})

const who = fc.constantFrom('mia', 'ben')
const whom = fc.constantFrom(...handles)
const mode = fc.constantFrom<TriggerMode>('always', 'auto', 'auto', 'mention', 'mention', 'never')
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
    { minLength: 1, maxLength: 3, size: 'max' },
  )
  .map((words) => words.join(' '))
/** One of the last messages, counted from the end. */
const place = fc.nat({ max: 4 })

type Action = (thread: Thread) => unknown

/** What may be said in a thread at any time, also while a bot works, and what else may happen there. */
const words: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(who, text, place).map(
    ([author, said, replyTo]): Action =>
      (t) =>
        at(t, replyTo, (seq) => t.say(author, said, { replyTo: seq })),
  ),
  fc.tuple(who, text).map(
    ([author, said]): Action =>
      (t) =>
        t.say(author, said),
  ),
  fc.tuple(whom, text, fc.nat({ max: 6 })).map(
    ([author, said, hops]): Action =>
      (t) =>
        t.botSays(author, said, { hops }),
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
        at(t, target, (seq) => t.edit(author, seq, said)),
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
)

const changes: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(who, place).map(
    ([author, target]): Action =>
      (t) =>
        at(t, target, (seq) => t.remove(author, seq)),
  ),
  fc.tuple(whom, mode).map(
    ([changed, to]): Action =>
      (t) =>
        t.mode(changed, to),
  ),
  fc.tuple(whom, fc.option(fc.constantFrom(minutes(5), minutes(30)), { nil: undefined })).map(
    ([changed, ms]): Action =>
      (t) =>
        t.mute(changed, ms),
  ),
  whom.map(
    (changed): Action =>
      (t) =>
        t.unmute(changed),
  ),
  whom.map(
    (changed): Action =>
      (t) => (t.mute(changed), t.unmute(changed)),
  ),
  fc.tuple(whom, mode).map(
    ([comer, as]): Action =>
      (t) =>
        t.join(comer, as),
  ),
  settings.map(
    (changed): Action =>
      (t) =>
        t.configure(changed),
  ),
  fc.constantFrom(minutes(1), minutes(11), minutes(60)).map(
    (ms): Action =>
      (t) =>
        t.later(ms),
  ),
  whom.map(
    (leaver): Action =>
      (t) =>
        t.leave(leaver),
  ),
)

const action = fc.oneof({ weight: 3, arbitrary: words }, { weight: 2, arbitrary: changes })
/** While a turn runs Stop ends the turn; that is one of its results. */
const stop: fc.Arbitrary<Action> = fc.constant((t) => t.stop())
const between = fc.oneof({ weight: 20, arbitrary: action }, { weight: 1, arbitrary: stop })

function at(thread: Thread, back: number, act: (message: Offset) => unknown): unknown {
  const message = thread.entries.filter(({ kind }) => kind === 'chat').at(-1 - back)
  return message === undefined ? undefined : act(message.seq)
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

/** Who is in the thread, what happens in it, and what models and turns answer. */
export const story = fc.record({
  modes: fc.array(mode, { minLength: 4, maxLength: 4 }),
  settings,
  /** What happens between rest and rest. */
  phases: fc.array(fc.array(between, { minLength: 1, maxLength: 4, size: 'max' }), {
    minLength: 1,
    maxLength: 5,
    size: 'max',
  }),
  /** What happens during each turn, and how it ends. */
  turns: fc.array(fc.tuple(fc.array(action, { maxLength: 2, size: 'max' }), result), {
    maxLength: 12,
    size: 'max',
  }),
  picks: fc.array(fc.nat({ max: 4 }), { maxLength: 8, size: 'max' }),
})

/** Tells the story to a thread in memory, up to where it rests. */
export function play({
  modes,
  settings,
  phases,
  turns,
  picks,
}: typeof story extends fc.Arbitrary<infer S> ? S : never): Thread {
  const thread = directorTrace({
    bots: handles.map((handle, at) => bot(handle, { mode: modes[at] ?? 'auto' })),
    people: ['mia', 'ben'],
    settings,
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
  for (const phase of phases) {
    for (const act of phase) act(thread)
    thread.rest(script)
  }
  return thread
}
